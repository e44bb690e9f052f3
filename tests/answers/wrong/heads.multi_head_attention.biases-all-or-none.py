"""CAUSE: looks only at bq to decide whether the layer has biases"""
from .attention import attention, causal_mask
from .heads import split_heads, merge_heads

# shows: weights with bo (or bv) but no bq: that bias is silently dropped; only bq -> KeyError


def multi_head_attention(x, weights, n_heads, mask=None):
    if x.shape[-1] % n_heads:
        raise ValueError("width is not a multiple of heads")
    with_bias = "bq" in weights
    outs = {}
    for c in ("q", "k", "v"):
        y = x @ weights["w" + c].transpose(0, 1)
        if with_bias:
            y = y + weights["b" + c]
        outs[c] = split_heads(y, n_heads)
    if mask is None:
        mask = causal_mask(x.shape[1], x.shape[1])
    y = merge_heads(attention(outs["q"], outs["k"], outs["v"], mask)) @ weights["wo"].transpose(0, 1)
    if with_bias:
        y = y + weights["bo"]
    return y
