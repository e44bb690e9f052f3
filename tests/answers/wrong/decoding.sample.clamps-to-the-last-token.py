"""CAUSE: forgotten edge case: the overrun is clamped to V - 1, which may have probability 0"""
import torch


def sample(probabilities, uniform):
    p = probabilities.float() / probabilities.float().sum(-1, keepdim=True)
    i = torch.searchsorted(p.cumsum(-1), uniform.float()[:, None], right=True)
    return i.clamp_max(p.shape[-1] - 1)[:, 0]
