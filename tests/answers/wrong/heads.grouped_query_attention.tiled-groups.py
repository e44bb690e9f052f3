"""CAUSE: views the queries as (repeats, kv heads), so query head h is served by kv head h mod Hkv"""
import math
import torch
from .attention import attention_weights, causal_mask

# shows: n_heads=4, n_kv_heads=2, random x: heads 1 and 2 use the wrong keys; Hkv = 1 and Hkv = H are fine


def grouped_query_attention(x, weights, n_heads, n_kv_heads, mask=None):
    B, T, D = x.shape
    if D % n_heads or n_heads % n_kv_heads:
        raise ValueError("heads not divisible")
    K = D // n_heads
    r = n_heads // n_kv_heads

    def p(t, c):
        return t @ weights["w" + c].T + weights.get("b" + c, 0)

    q = p(x, "q").reshape(B, T, r, n_kv_heads, K)
    k = p(x, "k").reshape(B, T, n_kv_heads, K)
    v = p(x, "v").reshape(B, T, n_kv_heads, K)
    s = torch.einsum("btrgk,bsgk->brgts", q, k) / math.sqrt(K)
    m = causal_mask(T, T) if mask is None else mask
    w = attention_weights(s.reshape(B, n_heads, T, T), m).reshape(B, r, n_kv_heads, T, T)
    o = torch.einsum("brgts,bsgk->btrgk", w, v).reshape(B, T, D)
    return p(o, "o")
