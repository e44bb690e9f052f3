"""CAUSE: mutated argument: -inf is written into the caller's logits"""
import torch


def top_k(logits, k):
    if k < 1:
        raise ValueError("k < 1")
    k = min(k, logits.size(-1))
    edge = logits.topk(k)[0][..., [-1]]
    logits[logits < edge] = -float("inf")
    return logits
