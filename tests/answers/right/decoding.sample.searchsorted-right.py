"""Searchsorted on the right side, limited by the last positive token."""
import torch


def sample(probabilities, uniform):
    cdf = probabilities.to(torch.float64).cumsum(-1)
    target = uniform.to(torch.float64).unsqueeze(-1) * cdf[:, -1:]
    index = torch.searchsorted(cdf, target.contiguous(), right=True).squeeze(-1)
    ids = torch.arange(probabilities.shape[-1]).expand(probabilities.shape)
    last = torch.where(probabilities > 0, ids, torch.zeros_like(ids)).amax(-1)
    return torch.minimum(index, last)
