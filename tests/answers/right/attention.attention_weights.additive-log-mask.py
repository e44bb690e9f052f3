"""The mask becomes a bias log(1) = 0 or log(0) = -inf which is added to the scores."""
import torch


def attention_weights(scores, mask=None):
    x = scores.to(torch.promote_types(scores.dtype, torch.float32))
    if mask is not None:
        x = x + mask.to(x.dtype).log()
    top = x.detach().max(dim=-1, keepdim=True).values
    e = (x - top.nan_to_num(neginf=0.0)).exp()
    norm = e.sum(-1, keepdim=True)
    return (e / norm.masked_fill(norm == 0, 1)).to(scores.dtype)
