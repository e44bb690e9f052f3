"""CAUSE: the root mean square is treated as a constant in the gradient"""
import torch


# shows: values agree; x.grad lacks the part through the mean square
def rms_norm(x, weight, eps=1e-6):
    wide = x.double()
    scale = (wide.detach().pow(2).mean(-1, keepdim=True) + eps).rsqrt()
    return (wide * scale * weight.double()).to(x.dtype)
