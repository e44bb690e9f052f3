"""CAUSE: wrong axis: the k-th largest of the whole tensor is used as the edge for every row"""
import torch


def top_k(logits, k):
    if k < 1:
        raise ValueError("k < 1")
    if k >= logits.shape[-1] or logits.numel() == 0:
        return logits.clone()
    edge = logits.flatten().topk(k).values.min()
    return logits.masked_fill(logits < edge, -torch.inf)
