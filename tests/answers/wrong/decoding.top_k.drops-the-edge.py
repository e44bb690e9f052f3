"""CAUSE: off by one: the comparison with the edge is <=, so the k-th itself is dropped (and with k = 1 everything)"""
import torch


def top_k(logits, k):
    if k < 1:
        raise ValueError("k must be >= 1")
    if k >= logits.shape[-1]:
        return logits.clone()
    edge = torch.topk(logits, k).values[..., -1].unsqueeze(-1)
    return torch.where(logits <= edge, -torch.inf, logits)
