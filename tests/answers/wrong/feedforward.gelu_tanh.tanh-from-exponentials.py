"""CAUSE: writes tanh as (e^z - e^-z) / (e^z + e^-z), which is inf / inf for large inputs"""
import math
import torch

# shows: x = 100.0 in float32 gives NaN, should be 100


def gelu_tanh(x):
    z = math.sqrt(2 / math.pi) * (x + 0.044715 * x ** 3)
    ep, em = torch.exp(z), torch.exp(-z)
    tanh = (ep - em) / (ep + em)
    return 0.5 * x * (1 + tanh)
