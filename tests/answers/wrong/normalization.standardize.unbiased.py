"""CAUSE: divides by D - 1 in the variance"""
import torch


# shows: tensor([1., 3.]) gives +-0.707, should be +-1
def standardize(x, eps=1e-5):
    d = x.shape[-1]
    v = x.double()
    c = v - v.sum(-1, keepdim=True) / d
    var = (c * c).sum(-1, keepdim=True) / max(d - 1, 1)
    return (c / torch.sqrt(var + eps)).to(x.dtype)
