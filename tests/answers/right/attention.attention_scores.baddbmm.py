"""Fold the leading axes and use baddbmm, whose alpha is the scale."""
import math
import torch


def attention_scores(q, k):
    lead, tq, width, tk = q.shape[:-2], q.shape[-2], q.shape[-1], k.shape[-2]
    n = math.prod(lead)
    a = q.reshape(n, tq, width)
    b = k.reshape(n, tk, width).transpose(1, 2)
    bias = torch.zeros(n, tq, tk, dtype=q.dtype)
    s = torch.baddbmm(bias, a, b, beta=0, alpha=1 / math.sqrt(width))
    return s.reshape(*lead, tq, tk)
