"""CAUSE: mean and variance computed without gradient"""
import torch


# shows: the gradient of x is gamma / std only; it should be orthogonal to the ones vector
def layer_norm(x, gamma, beta, eps=1e-5):
    xx = x.double()
    with torch.no_grad():
        mean = xx.mean(-1, keepdim=True)
        inv = 1.0 / torch.sqrt(xx.var(-1, unbiased=False, keepdim=True) + eps)
    return ((xx - mean) * inv * gamma + beta).to(x.dtype)
