"""CAUSE: adds eps outside the square root"""
import torch


# shows: a row of variance 1e-6, e.g. tensor([[0.001, -0.001]]): 0.99 instead of 0.30
def layer_norm(x, gamma, beta, eps=1e-5):
    xd = x.double()
    mu = xd.mean(-1, keepdim=True)
    var = (xd - mu).pow(2).mean(-1, keepdim=True)
    std = torch.where(var > 0, var, torch.ones_like(var)).sqrt() * (var > 0)
    y = (xd - mu) / (std + eps)
    return (y * gamma + beta).to(x.dtype)
