"""The normaliser comes from a recursive tree of logaddexp: split the axis in halves until one entry is left."""
import torch


def _log_total(x):
    n = x.shape[-1]
    if n == 1:
        return x
    return torch.logaddexp(_log_total(x[..., : n // 2]), _log_total(x[..., n // 2:]))


def softmax(logits, dim=-1):
    x = logits.movedim(dim, -1)
    x = x.to(torch.promote_types(x.dtype, torch.float32))
    hole = torch.isneginf(x)
    top = x.detach().masked_fill(hole, -1e30).amax(-1, keepdim=True)
    # a hole becomes "very small" instead of -inf, which logaddexp could not differentiate
    x = torch.where(hole, torch.full_like(x, -1e30), x - top)
    p = torch.exp(x - _log_total(x))
    return torch.where(hole, torch.zeros_like(p), p).movedim(-1, dim).to(logits.dtype)
