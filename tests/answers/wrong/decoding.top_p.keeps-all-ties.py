"""CAUSE: ties: a probability threshold is taken from the crossing token and all tokens as probable stay"""
import torch


def top_p(logits, p):
    if not 0 < p <= 1:
        raise ValueError("p must be in (0, 1]")
    if p == 1:
        return logits.clone()
    probs = logits.double().softmax(-1)
    ranked = probs.sort(-1, descending=True).values
    n = ((ranked.cumsum(-1) - ranked) < p).sum(-1, keepdim=True)
    edge = ranked.gather(-1, n - 1)
    return logits.masked_fill(probs < edge, -torch.inf)
