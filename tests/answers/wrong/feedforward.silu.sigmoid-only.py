"""CAUSE: returns the sigmoid, the factor x is missing"""
import torch

# shows: x = 0.0 gives 0.5 instead of 0


def silu(x):
    return torch.sigmoid(x)
