"""CAUSE: erf(x) instead of erf(x / sqrt 2)"""
import torch

# shows: x = 1.0 gives 0.921 instead of 0.841


def gelu(x):
    cdf = 0.5 * (1.0 + torch.erf(x))
    return x * cdf
