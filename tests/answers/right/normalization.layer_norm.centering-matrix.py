"""Centring is a projection: multiply by I - 1/D, then divide by the root of the mean square."""
import torch


def layer_norm(x, gamma, beta, eps=1e-5):
    D = x.shape[-1]
    P = torch.eye(D, dtype=torch.float64) - 1.0 / D
    c = (x.double() - x.double()[..., :1]) @ P
    power = torch.einsum("...d,...d->...", c, c) / D
    out = torch.einsum("...d,...,d->...d", c, (power + eps) ** -0.5, gamma.double())
    return (out + beta.double()).to(x.dtype)
