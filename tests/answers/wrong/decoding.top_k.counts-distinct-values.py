"""CAUSE: misreading: equal logits count once, so the k largest distinct values stay"""
import torch


def top_k(logits, k):
    if k < 1:
        raise ValueError("k must be >= 1")
    out = logits.clone()
    rows = out.view(-1, out.shape[-1])
    for row in rows:
        levels = row.unique()
        if k < len(levels):
            row[row < levels[-k]] = -torch.inf
    return out
