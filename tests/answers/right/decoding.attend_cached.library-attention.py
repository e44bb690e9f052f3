"""Scaled_dot_product_attention with an explicit mask aligned at the end."""
import torch
import torch.nn.functional as F


def attend_cached(q, k_new, v_new, cache):
    if cache is None:
        k, v = k_new, v_new
    else:
        k, v = torch.cat([cache[0], k_new], 2), torch.cat([cache[1], v_new], 2)
    n = q.shape[1] // k.shape[1]
    Tq, Tk = q.shape[2], k.shape[2]
    may = torch.ones(Tq, Tk, dtype=torch.bool).tril(diagonal=Tk - Tq)
    big_k = k.unsqueeze(2).expand(-1, -1, n, -1, -1).flatten(1, 2)
    big_v = v.unsqueeze(2).expand(-1, -1, n, -1, -1).flatten(1, 2)
    return F.scaled_dot_product_attention(q, big_k, big_v, attn_mask=may), (k, v)
