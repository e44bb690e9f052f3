"""CAUSE: wrong alignment: is_causal aligns query 0 with key 0, so with a cache the queries see only the oldest keys"""
import torch
import torch.nn.functional as F


def attend_cached(q, k_new, v_new, cache):
    if cache is None:
        k, v = k_new, v_new
    else:
        k, v = torch.cat([cache[0], k_new], dim=2), torch.cat([cache[1], v_new], dim=2)
    r = q.shape[1] // k.shape[1]
    out = F.scaled_dot_product_attention(q, k.repeat_interleave(r, 1), v.repeat_interleave(r, 1), is_causal=True)
    return out, (k, v)
