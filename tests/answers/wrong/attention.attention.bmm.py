"""CAUSE: uses bmm, works only for 3-D input"""
import math
import torch

from .attention import attention_weights


# shows: q, k, v of shape (2, 3, 4, 6) (or (4, 6)) is a RuntimeError
def attention(q, k, v, mask=None):
    scores = torch.bmm(q, k.transpose(1, 2)).div(math.sqrt(q.size(-1)))
    p_attn = attention_weights(scores, mask)
    return torch.bmm(p_attn, v)
