"""CAUSE: misreading: k = 0 (and below) is taken for "filter off" and does not raise"""
import torch


def top_k(logits, k):
    if k <= 0 or k >= logits.size(-1):
        return logits.clone()
    kth = logits.sort(dim=-1, descending=True).values[..., k - 1, None]
    return torch.where(logits >= kth, logits, torch.full_like(logits, -torch.inf))
