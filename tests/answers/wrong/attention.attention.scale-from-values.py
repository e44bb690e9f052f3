"""CAUSE: scales by the width of the values instead of the queries and keys"""
import math
import torch

from .attention import attention_weights


# shows: q, k of width 6, v of width 3; right when all widths agree
def attention(q, k, v, mask=None):
    d_v = v.size(-1)
    logits = q @ k.transpose(-2, -1) / math.sqrt(d_v)
    return attention_weights(logits, mask) @ v
