"""A loop over positions with a running list of losses; ignored positions are skipped with continue."""
import torch


def _surprise(row, t):
    shift = row.max().detach()
    if row[t] == float("-inf"):
        return torch.full_like(row[t], float("inf"))
    return (row - shift).exp().sum().log() - (row[t] - shift)


def cross_entropy(logits, targets, ignore_index=-100):
    V = logits.shape[-1]
    losses = []
    for n, t in enumerate(targets.flatten().tolist()):
        if t == ignore_index:
            continue
        if t < 0 or t >= V:
            raise ValueError("target %d is no vocabulary item" % t)
        losses.append(_surprise(logits.reshape(-1, V)[n].double(), t))
    if not losses:
        raise ValueError("cannot average over zero targets")
    return torch.stack(losses).mean().to(logits.dtype)
