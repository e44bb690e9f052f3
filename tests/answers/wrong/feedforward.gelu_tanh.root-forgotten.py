"""CAUSE: 2/pi without the square root"""
import math
import torch

# shows: x = 1.0 gives 0.791 instead of 0.841


def gelu_tanh(x):
    k = 2 / math.pi
    return 0.5 * x * (1 + torch.tanh(k * (x + 0.044715 * x ** 3)))
