"""CAUSE: divides by the root mean square of x, not of the centred x"""
import torch


# shows: tensor([9., 11.]) gives +-0.0995, should be +-1
def standardize(x, eps=1e-5):
    a = x.double()
    mean = a.mean(-1, keepdim=True)
    rms = torch.sqrt((a ** 2).mean(-1, keepdim=True) + eps)
    return ((a - mean) / rms).to(x.dtype)
