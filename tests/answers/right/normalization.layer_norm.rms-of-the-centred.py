"""LayerNorm is RMSNorm of the centred vector plus a bias."""
import torch
from .normalization import rms_norm


def layer_norm(x, gamma, beta, eps=1e-5):
    h = x.to(torch.float64)
    centred = h - h.mean(dim=-1, keepdim=True)
    return (rms_norm(centred, gamma.to(torch.float64), eps) + beta.to(torch.float64)).to(x.dtype)
