"""CAUSE: misreading: the CDF runs from the most probable token down instead of in index order"""
import torch


def sample(probabilities, uniform):
    q, order = probabilities.double().sort(-1, descending=True)
    c = q.cumsum(-1)
    r = torch.searchsorted(c, uniform.double()[:, None] * c[:, -1:], right=True)
    return order.gather(-1, r.clamp(max=q.shape[-1] - 1)).squeeze(-1)
