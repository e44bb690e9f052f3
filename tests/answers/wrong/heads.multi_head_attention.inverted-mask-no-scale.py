"""CAUSE: treats True as blocked; CAUSE: forgets to divide the scores by sqrt(K)"""
import torch
import torch.nn.functional as F
from .attention import attention_weights
from .heads import split_heads, merge_heads

# shows: mask = tril(ones).bool() lets row i see only the future; without a mask the weights are too peaked


def multi_head_attention(x, weights, n_heads, mask=None):
    T = x.shape[1]
    if x.shape[2] % n_heads:
        raise ValueError("heads do not divide the width")
    if mask is None:
        mask = torch.triu(torch.ones(T, T, dtype=torch.bool), diagonal=1)
    q = split_heads(F.linear(x, weights["wq"], weights.get("bq")), n_heads)
    k = split_heads(F.linear(x, weights["wk"], weights.get("bk")), n_heads)
    v = split_heads(F.linear(x, weights["wv"], weights.get("bv")), n_heads)
    s = q @ k.transpose(2, 3)
    p = attention_weights(s, mask.logical_not())
    return F.linear(merge_heads(p @ v), weights["wo"], weights.get("bo"))
