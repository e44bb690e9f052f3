"""The LayerNorm of the same lesson with gain one and bias zero."""
import torch
from .normalization import layer_norm


def standardize(x, eps=1e-5):
    D = x.shape[-1]
    return layer_norm(x, torch.ones(D, dtype=x.dtype), torch.zeros(D, dtype=x.dtype), eps)
