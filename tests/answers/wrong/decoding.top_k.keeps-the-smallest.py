"""CAUSE: wrong direction: the sort is ascending, so the k smallest logits survive"""
import torch


def top_k(logits, k):
    if k < 1:
        raise ValueError("k must be >= 1")
    k = min(k, logits.shape[-1])
    edge = logits.sort(-1).values[..., k - 1 : k]
    return logits.masked_fill(logits > edge, -torch.inf)
