"""CAUSE: wrong value: the tokens cut off get logit 0, which still has probability, not -inf"""
import torch


def top_k(logits, k):
    if k < 1:
        raise ValueError("k < 1")
    edge = logits.topk(min(k, logits.shape[-1])).values[..., -1:]
    return logits * (logits >= edge)
