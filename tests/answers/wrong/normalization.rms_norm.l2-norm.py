"""CAUSE: divides by the L2 norm, sum of squares instead of mean"""
import torch


# shows: ones(1, 4) gives 0.5, should be 1
def rms_norm(x, weight, eps=1e-6):
    orig = x.dtype
    y = x.float() if orig != torch.float64 else x
    inv = torch.rsqrt(torch.sum(y * y, dim=-1, keepdim=True) + eps)
    return (y * inv * weight).to(orig)
