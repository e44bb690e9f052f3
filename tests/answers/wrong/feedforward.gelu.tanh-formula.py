"""CAUSE: the tanh approximation where the exact erf form is asked"""
import math
import torch

# shows: x = 2.0 in float64: 1.954598 instead of 1.954500 (5e-4 off at worst)


def gelu(x):
    return 0.5 * x * (1 + torch.tanh(math.sqrt(2 / math.pi) * (x + 0.044715 * torch.pow(x, 3))))
