"""CAUSE: misreading: the survivors come back as log-probabilities; top_k should leave their logits alone"""
import torch


def top_k(logits, k):
    if k < 1:
        raise ValueError("k must be >= 1")
    k = min(k, logits.shape[-1])
    edge = logits.topk(k).values[..., -1:]
    return logits.masked_fill(logits < edge, -torch.inf).log_softmax(-1)
