"""CAUSE: scores are not divided by sqrt(K); CAUSE: a query that may attend to nothing averages all values"""
import torch


# shows: random q, k of width 6 give too sharp weights; a row of False in the mask gives mean(v), should be 0
def attention(q, k, v, mask=None):
    s = q @ k.transpose(-1, -2)
    if mask is not None:
        s = s.masked_fill(~mask, torch.finfo(s.dtype).min)
    return s.softmax(-1) @ v
