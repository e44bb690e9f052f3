"""CAUSE: scales by the square root of the key length instead of the head width"""
import math
import torch


# shows: q (2, 6), k (5, 6): divided by sqrt(5), should be sqrt(6)
def attention_scores(q, k):
    d_k = k.shape[-2]
    return torch.matmul(q, k.transpose(-1, -2)) / math.sqrt(d_k)
