"""CAUSE: scales by 1 + weight"""
import torch


# shows: weight = zeros returns the normalized x, should be zeros
def rms_norm(x, weight, eps=1e-6):
    xf = x.double()
    normed = xf * torch.rsqrt(torch.mean(xf * xf, -1, keepdim=True) + eps)
    out = normed * (1.0 + weight.double())
    return out.type_as(x)
