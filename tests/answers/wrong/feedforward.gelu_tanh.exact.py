"""CAUSE: the exact erf GELU under the name of the approximation"""
import torch

# shows: x = 2.0 in float64: 1.954500 instead of 1.954598


def gelu_tanh(x):
    return x * torch.special.ndtr(x)
