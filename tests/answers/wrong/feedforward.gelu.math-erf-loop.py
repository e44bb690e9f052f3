"""CAUSE: computes each value with math.erf in Python, so no gradient flows"""
import math
import torch

# shows: x = randn(3, requires_grad=True): the result has no grad_fn


def gelu(x):
    values = [0.5 * v * (1.0 + math.erf(v / math.sqrt(2.0))) for v in x.flatten().tolist()]
    return torch.tensor(values, dtype=x.dtype).reshape(x.shape)
