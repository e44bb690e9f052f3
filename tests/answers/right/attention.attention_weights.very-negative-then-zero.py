"""A finite, very negative fill keeps softmax free of NaN; multiplying by the mask afterwards makes the zeros exact."""
import torch
import torch.nn.functional as F


def attention_weights(scores, mask=None):
    s = scores.to(torch.promote_types(scores.dtype, torch.float32))
    ok = s > float("-inf")
    if mask is not None:
        ok = ok & mask
    lowest = torch.full_like(s, torch.finfo(s.dtype).min)
    w = F.softmax(torch.where(ok, s, lowest), dim=-1)
    return (w * ok).to(scores.dtype)
