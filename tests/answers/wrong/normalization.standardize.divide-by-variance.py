"""CAUSE: divides by the variance, not its root, so standardize(5 * x) differs from standardize(x)"""
import torch


# shows: tensor([0., 10.]) gives +-0.2, should be +-1 (and a row of variance 1 looks right)
def standardize(x, eps=1e-5):
    high = x.double()
    m = high.mean(-1, keepdim=True)
    v = (high - m).pow(2).mean(-1, keepdim=True)
    return ((high - m) / (v + eps)).to(x.dtype)
