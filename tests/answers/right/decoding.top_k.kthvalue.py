"""Kthvalue counted from below."""
import torch


def top_k(logits, k):
    if k < 1:
        raise ValueError("k must be at least 1")
    V = logits.shape[-1]
    if k >= V or logits.numel() == 0:
        return logits.clone()
    edge = logits.kthvalue(V - k + 1, dim=-1, keepdim=True).values
    return logits.masked_fill(logits.lt(edge), -torch.inf)
