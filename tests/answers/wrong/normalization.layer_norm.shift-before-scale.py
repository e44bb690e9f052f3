"""CAUSE: adds beta before multiplying by gamma"""
import torch

from .normalization import standardize


# shows: gamma = 2, beta = 1 shifts the output by 2 instead of 1
def layer_norm(x, gamma, beta, eps=1e-5):
    return gamma * (standardize(x, eps) + beta)
