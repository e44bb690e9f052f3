"""CAUSE: off by one at the border: only negative penalties raise, 0 divides by zero"""
import torch


def repetition_penalty(logits, tokens, penalty):
    if penalty < 0:
        raise ValueError("penalty must not be negative")
    old = logits.gather(-1, tokens)
    return logits.scatter(-1, tokens, torch.where(old > 0, old / penalty, old * penalty))
