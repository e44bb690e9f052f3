"""LayerNorm is standardize followed by an affine map, so I call my standardize."""
from .normalization import standardize


def layer_norm(x, gamma, beta, eps=1e-5):
    return standardize(x, eps=eps) * gamma + beta
