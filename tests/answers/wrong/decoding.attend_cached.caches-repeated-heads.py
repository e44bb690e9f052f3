"""CAUSE: wrong shape: the keys and values repeated to H heads go into the cache, which should hold Hkv heads"""
import torch
import torch.nn.functional as F


def attend_cached(q, k_new, v_new, cache):
    n = q.shape[1] // k_new.shape[1]
    k, v = k_new.repeat_interleave(n, dim=1), v_new.repeat_interleave(n, dim=1)
    if cache is not None:
        old_k, old_v = cache
        m = q.shape[1] // old_k.shape[1]
        k = torch.cat([old_k.repeat_interleave(m, dim=1), k], dim=2)
        v = torch.cat([old_v.repeat_interleave(m, dim=1), v], dim=2)
    mask = torch.ones(q.shape[2], k.shape[2], dtype=torch.bool).tril(k.shape[2] - q.shape[2])
    return F.scaled_dot_product_attention(q, k, v, attn_mask=mask), (k, v)
