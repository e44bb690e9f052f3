"""The CDF from behind: the total minus the mass still to come."""
import torch


def sample(probabilities, uniform):
    w = probabilities.double()
    suffix = w.flip(-1).cumsum(-1).flip(-1)
    total = suffix[:, :1]
    to_come = torch.cat([suffix[:, 1:], torch.zeros_like(total)], dim=-1)
    hit = (total - to_come > uniform.double().unsqueeze(1) * total) & (w > 0)
    last = w.shape[-1] - 1 - (w.flip(-1) > 0).long().argmax(-1)
    return torch.where(hit.any(-1), hit.long().argmax(-1), last)
