"""CAUSE: shared state: the past lives in a module-level variable and the cache argument is ignored when there is one"""
import torch
import torch.nn.functional as F

_past = None


def attend_cached(q, k_new, v_new, cache):
    global _past
    if cache is None:
        _past = (k_new, v_new)
    else:
        _past = (torch.cat([_past[0], k_new], 2), torch.cat([_past[1], v_new], 2))
    k, v = _past
    n = q.shape[1] // k.shape[1]
    mask = torch.ones(q.shape[2], k.shape[2], dtype=torch.bool).tril(k.shape[2] - q.shape[2])
    return F.scaled_dot_product_attention(q, k.repeat_interleave(n, 1), v.repeat_interleave(n, 1), attn_mask=mask), _past
