"""CAUSE: assumes the LLaMA case and ignores bq, bk, bv and bo"""
from .attention import attention, causal_mask
from .heads import split_heads, merge_heads, repeat_kv

# shows: weights with a nonzero bq, bv or bo: the result is the same as without them


def grouped_query_attention(x, weights, n_heads, n_kv_heads, mask=None):
    if x.size(2) % n_heads or n_heads % n_kv_heads:
        raise ValueError("n_heads / n_kv_heads do not fit")
    n_rep = n_heads // n_kv_heads
    xq = split_heads(x @ weights["wq"].T, n_heads)
    xk = repeat_kv(split_heads(x @ weights["wk"].T, n_kv_heads), n_rep)
    xv = repeat_kv(split_heads(x @ weights["wv"].T, n_kv_heads), n_rep)
    if mask is None:
        mask = causal_mask(x.size(1), x.size(1))
    return merge_heads(attention(xq, xk, xv, mask)) @ weights["wo"].T
