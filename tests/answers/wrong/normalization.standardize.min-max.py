"""CAUSE: min-max scaling to [-1, 1] instead of zero mean and unit variance"""
import torch


# shows: tensor([0., 0., 3.]) gives [-1, -1, 1], should be [-0.707, -0.707, 1.414]
def standardize(x, eps=1e-5):
    f = x.double()
    lo = f.amin(dim=-1, keepdim=True)
    hi = f.amax(dim=-1, keepdim=True)
    return (2 * (f - lo) / (hi - lo + eps) - 1).to(x.dtype)
