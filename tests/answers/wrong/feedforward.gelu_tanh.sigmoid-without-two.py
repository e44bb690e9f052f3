"""CAUSE: rewrites (1 + tanh z) / 2 as sigmoid(z) instead of sigmoid(2z)"""
import math
import torch

# shows: x = 1.0 gives 0.697 instead of 0.841


def gelu_tanh(x):
    z = math.sqrt(2 / math.pi) * (x + 0.044715 * x.pow(3))
    return x * z.sigmoid()
