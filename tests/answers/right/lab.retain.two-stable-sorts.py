"""A stable sort by score, then a stable sort by "not forced", then nonzero of a mask."""
import torch


def retain(scores, budget, n_sink=0, n_recent=0):
    if n_sink + n_recent > budget:
        raise ValueError("retain: n_sink + n_recent > budget")
    T = scores.shape[0]
    place = torch.arange(T)
    forced = place.lt(n_sink) | place.ge(T - n_recent)
    by_score = torch.sort(scores, descending=True, stable=True).indices
    order = by_score[torch.sort((~forced)[by_score].int(), stable=True).indices]
    mask = torch.zeros(T, dtype=torch.bool)
    mask[order[: min(budget, T)]] = True
    return mask.nonzero().flatten()
