"""CAUSE: forgotten: the masses are not scaled by their total, with weights that do not sum to 1 the index is wrong or V"""
import torch


def sample(probabilities, uniform):
    cdf = torch.cumsum(probabilities.double(), dim=-1)
    index = (cdf <= uniform.double()[:, None]).sum(-1)
    return index.clamp(max=probabilities.shape[-1] - 1)
