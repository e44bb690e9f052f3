"""CAUSE: border: searchsorted on the left side accepts mass equal to u, so u = 0 picks a first token of probability 0"""
import torch


def sample(probabilities, uniform):
    c = probabilities.double().cumsum(-1)
    c = c / c[:, -1:]
    return torch.searchsorted(c, uniform.double().unsqueeze(-1)).squeeze(-1)
