"""CAUSE: misreading: p is compared with each token's own probability relative to the best (min-p), not with the cumulative mass"""
import torch


def top_p(logits, p):
    if not 0 < p <= 1:
        raise ValueError("p must be in (0, 1]")
    if p == 1:
        return logits.clone()
    probs = logits.double().softmax(-1)
    return logits.masked_fill(probs < (1 - p) * probs.amax(-1, keepdim=True), -torch.inf)
