"""Stable sort, exclusive cumulative sum, rank by a second argsort."""
import torch


def top_p(logits, p):
    if not (0.0 < p <= 1.0):
        raise ValueError("p outside (0, 1]")
    if p == 1.0:
        return logits.clone()
    ranked, order = torch.sort(logits.double(), dim=-1, descending=True, stable=True)
    shifted = ranked - ranked[..., :1]
    weights = torch.nan_to_num(shifted, nan=0.0, neginf=-torch.inf).exp()
    mass = weights.cumsum(-1) / weights.sum(-1, keepdim=True)
    n_keep = 1 + (mass[..., :-1] < p).sum(-1, keepdim=True)
    rank = order.argsort(dim=-1)
    return torch.where(rank < n_keep, logits, torch.full_like(logits, -torch.inf))
