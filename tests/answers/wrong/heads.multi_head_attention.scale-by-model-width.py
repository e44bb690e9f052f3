"""CAUSE: divides the scores by sqrt(D), the model width, instead of sqrt(K), the head width"""
import math
import torch
from .attention import attention_weights
from .heads import split_heads, merge_heads

# shows: any random x with D=8, n_heads=2: the weights are too flat (right only for n_heads=1)


def multi_head_attention(x, weights, n_heads, mask=None):
    B, T, D = x.shape
    if D % n_heads:
        raise ValueError("D must be divisible by n_heads")

    def proj(inp, name):
        y = inp @ weights["w" + name].T
        bias = weights.get("b" + name)
        return y if bias is None else y + bias

    q = split_heads(proj(x, "q"), n_heads)
    k = split_heads(proj(x, "k"), n_heads)
    v = split_heads(proj(x, "v"), n_heads)
    scores = (q @ k.mT) / math.sqrt(D)
    if mask is None:
        mask = torch.ones(T, T, dtype=torch.bool).tril()
    return proj(merge_heads(attention_weights(scores, mask) @ v), "o")
