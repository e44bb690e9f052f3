"""Forward fills an array of zeros only where attention is allowed; backward is the softmax Jacobian."""
import torch


class MaskedSoftmax(torch.autograd.Function):
    @staticmethod
    def forward(ctx, s, allowed):
        top = torch.where(allowed, s, torch.full_like(s, -torch.inf)).amax(-1, keepdim=True)
        top = torch.where(top == -torch.inf, torch.zeros_like(top), top)
        w = torch.zeros_like(s)
        w[allowed] = (s - top)[allowed].exp()
        total = w.sum(-1, keepdim=True)
        w /= torch.where(total > 0, total, torch.ones_like(total))
        ctx.save_for_backward(w)
        return w

    @staticmethod
    def backward(ctx, g):
        w, = ctx.saved_tensors
        gw = g * w
        return gw - w * gw.sum(-1, keepdim=True), None


def attention_weights(scores, mask=None):
    allowed = torch.ones_like(scores, dtype=torch.bool) if mask is None else mask.expand(scores.shape)
    out = MaskedSoftmax.apply(scores.double(), allowed)
    return out.to(scores.dtype)
