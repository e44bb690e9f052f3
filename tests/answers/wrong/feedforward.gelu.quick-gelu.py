"""CAUSE: the sigmoid approximation x * sigmoid(1.702 x)"""
import torch

# shows: x = -2.0 gives -0.064 instead of -0.0455


def gelu(x):
    return x * torch.sigmoid(1.702 * x)
