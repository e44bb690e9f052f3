"""CAUSE: misreading: a penalty between 0 and 1 (a reward) is refused, only penalty <= 0 is invalid"""
import torch


def repetition_penalty(logits, tokens, penalty):
    if penalty < 1:
        raise ValueError("penalty must be at least 1")
    old = logits.gather(-1, tokens)
    return logits.scatter(-1, tokens, torch.where(old > 0, old / penalty, old * penalty))
