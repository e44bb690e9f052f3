"""CAUSE: forgotten edge case: the loop takes the first axis for the batch, so a single row (V,) or (B, S, V) fails or is wrong"""
import torch


def repetition_penalty(logits, tokens, penalty):
    if penalty <= 0:
        raise ValueError("penalty must be > 0")
    out = logits.clone()
    for b in range(logits.shape[0]):
        for t in set(tokens[b].tolist()):
            out[b, t] = logits[b, t] / penalty if logits[b, t] > 0 else logits[b, t] * penalty
    return out
