"""CAUSE: never repeats the kv heads, broadcasting does it only for one kv head"""
import torch.nn.functional as F
from .attention import attention, causal_mask
from .heads import split_heads, merge_heads

# shows: n_heads=4, n_kv_heads=2 -> RuntimeError; n_kv_heads 1 and 4 are right


def grouped_query_attention(x, weights, n_heads, n_kv_heads, mask=None):
    if x.shape[-1] % n_heads != 0 or n_heads % n_kv_heads != 0:
        raise ValueError("incompatible head counts")
    lin = lambda t, n: F.linear(t, weights["w" + n], weights.get("b" + n))
    q = split_heads(lin(x, "q"), n_heads)
    k = split_heads(lin(x, "k"), n_kv_heads)
    v = split_heads(lin(x, "v"), n_kv_heads)
    if mask is None:
        mask = causal_mask(q.shape[2], k.shape[2])
    return lin(merge_heads(attention(q, k, v, mask)), "o")
