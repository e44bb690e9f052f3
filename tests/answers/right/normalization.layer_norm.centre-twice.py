"""Textbook formula, but the mean is removed twice because one float32 mean of a large row is not exact."""
import torch


def layer_norm(x, gamma, beta, eps=1e-5):
    wide = torch.promote_types(x.dtype, torch.float32)
    h = x.to(wide)
    h = h - h.mean(-1, keepdim=True)
    h = h - h.mean(-1, keepdim=True)
    var = h.square().mean(-1, keepdim=True)
    y = h * torch.rsqrt(var + eps) * gamma.to(wide) + beta.to(wide)
    return y.to(x.dtype)
