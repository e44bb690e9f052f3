"""CAUSE: edge case: the mask is multiplied in, so -inf logits that were not seen give -inf * 0 = NaN"""
import torch


def repetition_penalty(logits, tokens, penalty):
    if penalty <= 0:
        raise ValueError("penalty <= 0")
    seen = torch.zeros_like(logits).scatter(-1, tokens, 1.0)
    changed = torch.where(logits > 0, logits / penalty, logits * penalty)
    return seen * changed + (1 - seen) * logits
