"""CAUSE: multiplies x in place and so overwrites the caller's tensor"""
import torch

# shows: x = tensor([1., 2.]); gelu(x) is right but x is now 0.841, 1.954


def gelu(x):
    phi = torch.erf(x * 0.7071067811865476).add_(1).mul_(0.5)
    x *= phi
    return x
