"""CAUSE: forgotten edge case: k larger than V makes topk raise"""
import torch


def top_k(logits, k):
    if k < 1:
        raise ValueError("k must be at least 1")
    edge = torch.topk(logits, k, dim=-1).values[..., -1:]
    return logits.masked_fill(logits < edge, -torch.inf)
