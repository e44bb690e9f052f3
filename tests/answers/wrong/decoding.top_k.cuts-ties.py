"""CAUSE: ties: exactly k indices are kept by scattering topk's indices, ties at the edge are dropped"""
import torch


def top_k(logits, k):
    if k < 1:
        raise ValueError("k < 1")
    k = min(k, logits.shape[-1])
    values, indices = logits.topk(k, dim=-1)
    return torch.full_like(logits, -torch.inf).scatter(-1, indices, values)
