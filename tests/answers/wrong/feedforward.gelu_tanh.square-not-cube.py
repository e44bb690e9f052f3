"""CAUSE: 0.044715 x^2 instead of x^3"""
import math
import torch

# shows: x = -1.0 gives -0.1788 instead of -0.1588, x = -100.0 gives -100 instead of 0


def gelu_tanh(x):
    inner = math.sqrt(2.0 / math.pi) * (x + 0.044715 * x * x)
    return 0.5 * x * (1.0 + torch.tanh(inner))
