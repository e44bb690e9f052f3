"""CAUSE: removes the mean as LayerNorm does; CAUSE: default eps 1e-5 instead of 1e-6"""
import torch

from .normalization import standardize


# shows: tensor([[1., 3.]]) gives [-1, 1]; rows of size 0.001 shrink too much with the default eps
def rms_norm(x, weight, eps=1e-5):
    return standardize(x, eps) * weight
