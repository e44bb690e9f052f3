"""CAUSE: swapped: positive logits are multiplied and negative ones divided, which rewards repetition"""
import torch


def repetition_penalty(logits, tokens, penalty):
    if penalty <= 0:
        raise ValueError("penalty <= 0")
    picked = logits.gather(-1, tokens)
    picked = torch.where(picked < 0, picked / penalty, picked * penalty)
    return logits.scatter(-1, tokens, picked)
