"""CAUSE: one mean and variance for the whole tensor instead of per row"""
import torch


# shows: tensor([[0., 2.], [10., 12.]]): row means are -1 and +1 instead of 0
def standardize(x, eps=1e-5):
    if x.numel() == 0:
        return x.clone()
    z = x.double()
    return ((z - z.mean()) / torch.sqrt(z.var(unbiased=False) + eps)).to(x.dtype)
