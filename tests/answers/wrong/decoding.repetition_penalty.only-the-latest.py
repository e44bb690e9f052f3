"""CAUSE: misreading: only the last token is penalised, not all that were seen"""
import torch


def repetition_penalty(logits, tokens, penalty):
    if penalty <= 0:
        raise ValueError("penalty <= 0")
    last = tokens[..., -1:]
    x = logits.gather(-1, last)
    return logits.scatter(-1, last, torch.where(x > 0, x / penalty, x * penalty))
