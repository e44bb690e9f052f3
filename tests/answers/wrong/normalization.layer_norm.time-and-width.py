"""CAUSE: normalizes over the last two axes together"""
import torch


# shows: x of shape (2, 3, 6): rows do not have mean 0 each, only each (3, 6) matrix does
def layer_norm(x, gamma, beta, eps=1e-5):
    axes = (-2, -1) if x.dim() > 1 else (-1,)
    z = x.double()
    mu = z.mean(dim=axes, keepdim=True)
    sigma2 = ((z - mu) ** 2).mean(dim=axes, keepdim=True)
    z = (z - mu) / torch.sqrt(sigma2 + eps)
    return (z * gamma + beta).to(x.dtype)
