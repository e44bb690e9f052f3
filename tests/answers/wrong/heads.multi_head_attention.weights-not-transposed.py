"""CAUSE: multiplies x @ W although the weights are stored (out, in), square matrices hide it"""
from .attention import attention, causal_mask
from .heads import split_heads, merge_heads

# shows: any non-symmetric wq; with identity or symmetric matrices it looks right


def multi_head_attention(x, weights, n_heads, mask=None):
    if x.shape[-1] % n_heads:
        raise ValueError("D % H")
    proj = {c: x @ weights["w" + c] + weights.get("b" + c, 0.0) for c in "qkv"}
    q, k, v = [split_heads(proj[c], n_heads) for c in "qkv"]
    m = causal_mask(x.shape[1], x.shape[1]) if mask is None else mask
    return merge_heads(attention(q, k, v, m)) @ weights["wo"] + weights.get("bo", 0.0)
