"""CAUSE: casts to float32 and does not cast back"""
import torch

# shows: x in float64 or bfloat16: the result has dtype float32


def silu(x):
    y = x.float()
    return y * (1.0 / (1.0 + torch.exp(-y.clamp(min=-80))))
