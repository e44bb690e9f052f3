"""CAUSE: with mask=None every token sees every token, the causal default is missing"""
import torch.nn.functional as F
from .attention import attention
from .heads import split_heads, merge_heads

# shows: changing the last token of x changes the first output row when no mask is given


def multi_head_attention(x, weights, n_heads, mask=None):
    if x.size(-1) % n_heads != 0:
        raise ValueError("d_model % n_heads != 0")
    q, k, v = (
        split_heads(F.linear(x, weights[f"w{c}"], weights.get(f"b{c}")), n_heads)
        for c in "qkv"
    )
    ctx = attention(q, k, v, mask)
    return F.linear(merge_heads(ctx), weights["wo"], weights.get("bo"))
