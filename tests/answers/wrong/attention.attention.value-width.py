"""CAUSE: assumes the values are as wide as the queries"""
import torch

from .attention import attention_scores, attention_weights


# shows: q, k of width 6 and v of width 3: shape error, should be (..., Tq, 3)
def attention(q, k, v, mask=None):
    w = attention_weights(attention_scores(q, k), mask)
    out = torch.zeros_like(q)
    for j in range(k.shape[-2]):
        out = out + w[..., j:j + 1] * v[..., j, :].unsqueeze(-2)
    return out
