"""CAUSE: variance as E[x^2] - E[x]^2, which cancels for rows far from zero"""
import torch


# shows: float32 rows with mean 1e4 and spread 1: the variance is rounding noise, at times 0
def layer_norm(x, gamma, beta, eps=1e-5):
    f = x.float() if x.element_size() < 4 else x
    D = f.shape[-1]
    s1 = f.sum(-1, keepdim=True) / D
    s2 = (f * f).sum(-1, keepdim=True) / D
    var = (s2 - s1 * s1).clamp(min=0)
    y = (f - s1) / (var + eps) ** 0.5
    return (y * gamma + beta).to(x.dtype)
