"""CAUSE: masks after the softmax and renormalizes, allowed keys underflow when a masked score is much larger"""
import torch


# shows: scores [0, 1, 500], mask [T, T, F] gives [0, 0, 0], should be [0.27, 0.73, 0]
def attention_weights(scores, mask=None):
    probs = torch.softmax(scores, dim=-1)
    if mask is None:
        return probs
    probs = probs * mask.to(probs.dtype)
    norm = probs.sum(dim=-1, keepdim=True)
    return probs / torch.where(norm > 0, norm, torch.ones_like(norm))
