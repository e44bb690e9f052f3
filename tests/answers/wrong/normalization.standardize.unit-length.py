"""CAUSE: scales to unit length instead of unit variance"""
import torch


# shows: tensor([1., 3.]) gives +-0.707, should be +-1; the error grows with D
def standardize(x, eps=1e-5):
    c = x.double()
    c = c - c.mean(-1, keepdim=True)
    length = (c.square().sum(-1, keepdim=True) + eps).sqrt()
    return (c / length).to(x.dtype)
