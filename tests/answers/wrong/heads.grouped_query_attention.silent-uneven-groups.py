"""CAUSE: maps query head to kv head with h * Hkv // H and so accepts head counts that do not divide"""
import torch
import torch.nn.functional as F
from .attention import attention, causal_mask
from .heads import split_heads, merge_heads

# shows: n_heads=4, n_kv_heads=3, D=8: returns numbers, should raise ValueError


def grouped_query_attention(x, weights, n_heads, n_kv_heads, mask=None):
    T, D = x.shape[-2:]
    if D % n_heads:
        raise ValueError("D must be a multiple of n_heads")
    q = split_heads(F.linear(x, weights["wq"], weights.get("bq")), n_heads)
    k = split_heads(F.linear(x, weights["wk"], weights.get("bk")), n_kv_heads)
    v = split_heads(F.linear(x, weights["wv"], weights.get("bv")), n_kv_heads)
    owner = torch.tensor([h * n_kv_heads // n_heads for h in range(n_heads)])
    if mask is None:
        mask = causal_mask(T, T)
    out = attention(q, k[:, owner], v[:, owner], mask)
    return F.linear(merge_heads(out), weights["wo"], weights.get("bo"))
