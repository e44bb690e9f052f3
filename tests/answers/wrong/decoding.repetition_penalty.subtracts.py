"""CAUSE: misreading: a presence penalty, the amount is subtracted from seen tokens"""
import torch


def repetition_penalty(logits, tokens, penalty):
    if penalty <= 0:
        raise ValueError("penalty <= 0")
    seen = torch.zeros_like(logits, dtype=torch.bool).scatter(-1, tokens, True)
    return torch.where(seen, logits - penalty, logits)
