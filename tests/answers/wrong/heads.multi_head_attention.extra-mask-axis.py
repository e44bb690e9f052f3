"""CAUSE: always inserts a head axis into the mask, also when it already has one or has no batch axis"""
import torch.nn.functional as F
from .attention import attention, causal_mask
from .heads import split_heads, merge_heads

# shows: a mask (B, 1, T, T) makes a 5-axis result or an error; a (B, T, T) mask is what it was written for


def multi_head_attention(x, weights, n_heads, mask=None):
    B, T, D = x.shape
    if D % n_heads:
        raise ValueError("n_heads must divide D")
    if mask is None:
        mask = causal_mask(T, T).expand(B, T, T)
    mask = mask.unsqueeze(1)
    q, k, v = [split_heads(F.linear(x, weights[w], weights.get(b)), n_heads)
               for w, b in (("wq", "bq"), ("wk", "bk"), ("wv", "bv"))]
    return F.linear(merge_heads(attention(q, k, v, mask)), weights["wo"], weights.get("bo"))
