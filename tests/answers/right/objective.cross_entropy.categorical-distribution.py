"""Let torch.distributions.Categorical give the log-probabilities of the counted rows."""
import torch
from torch.distributions import Categorical


def cross_entropy(logits, targets, ignore_index=-100):
    keep = targets.reshape(-1) != ignore_index
    if not keep.any():
        raise ValueError("zero counted targets")
    goal = targets.reshape(-1)[keep]
    size = logits.shape[-1]
    if goal.amin() < 0 or goal.amax() > size - 1:
        raise ValueError("target outside 0..V-1")
    rows = logits.reshape(-1, size)[keep].double()
    never = torch.isneginf(rows.gather(1, goal[:, None])).flatten()
    # a row whose target cannot happen costs +inf whatever the rest of it is, also if all of it is -inf
    rows = rows.masked_fill(never[:, None], 0.0)
    rows = rows - rows.detach().max(dim=1, keepdim=True).values
    cost = -Categorical(logits=rows, validate_args=False).log_prob(goal)
    return cost.masked_fill(never, torch.inf).mean().to(logits.dtype)
