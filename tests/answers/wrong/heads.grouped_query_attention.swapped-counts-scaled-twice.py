"""CAUSE: repeats each kv head n_kv_heads times instead of n_heads / n_kv_heads; CAUSE: scales q by 1/sqrt(K) and then lets attention divide again"""
import torch.nn.functional as F
from .attention import attention, causal_mask
from .heads import split_heads, merge_heads, repeat_kv

# shows: n_heads=4, n_kv_heads=2 runs, with scores sqrt(K) too small; n_heads=4, n_kv_heads=1 shows only the scale, n_heads=8, n_kv_heads=2 fails


def grouped_query_attention(x, weights, n_heads, n_kv_heads, mask=None):
    if x.shape[-1] % n_heads or n_heads % n_kv_heads:
        raise ValueError("heads not divisible")
    hd = x.shape[-1] // n_heads
    q = split_heads(F.linear(x, weights["wq"], weights.get("bq")), n_heads) * hd ** -0.5
    k = split_heads(F.linear(x, weights["wk"], weights.get("bk")), n_kv_heads)
    v = split_heads(F.linear(x, weights["wv"], weights.get("bv")), n_kv_heads)
    k, v = repeat_kv(k, n_kv_heads), repeat_kv(v, n_kv_heads)
    mask = causal_mask(x.shape[1], x.shape[1]) if mask is None else mask
    return F.linear(merge_heads(attention(q, k, v, mask)), weights["wo"], weights.get("bo"))
