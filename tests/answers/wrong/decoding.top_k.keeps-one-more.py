"""CAUSE: off by one: the sorted values are indexed with k, the (k+1)-th largest, so one token too many stays"""
import torch


def top_k(logits, k):
    if k < 1:
        raise ValueError("k must be >= 1")
    if k >= logits.shape[-1]:
        return logits.clone()
    ranked, _ = torch.sort(logits, dim=-1, descending=True)
    return logits.masked_fill(logits < ranked[..., k : k + 1], -torch.inf)
