"""Custom autograd.Function, because the gradient is so pretty: (softmax - one_hot) / number of counted rows."""
import torch


class MeanNLL(torch.autograd.Function):
    @staticmethod
    def forward(ctx, rows, goal):
        top = rows.amax(1, keepdim=True)
        top.masked_fill_(top == -torch.inf, 0.0)
        shifted = rows - top
        e = shifted.exp()
        z = e.sum(1, keepdim=True)
        own = shifted.gather(1, goal)
        nll = z.log() - own
        nll[own == -torch.inf] = torch.inf
        ctx.save_for_backward(e / z.clamp_min(torch.finfo(z.dtype).tiny), goal)
        return nll.mean()

    @staticmethod
    def backward(ctx, g):
        p, goal = ctx.saved_tensors
        slope = p.scatter_add(1, goal, p.new_full(goal.shape, -1.0))
        return g * slope / len(goal), None


def cross_entropy(logits, targets, ignore_index=-100):
    keep = targets.ne(ignore_index)
    rows, goal = logits[keep], targets[keep]
    if goal.nelement() < 1:
        raise ValueError("no target to predict")
    if ((goal < 0) | (goal >= logits.size(-1))).any():
        raise ValueError("a counted target is not in the vocabulary")
    narrow = logits.dtype in (torch.bfloat16, torch.float16)
    return MeanNLL.apply(rows.float() if narrow else rows, goal.unsqueeze(1)).to(logits.dtype)
