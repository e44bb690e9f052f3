"""CAUSE: mutated argument: scatter_ writes the penalised values into the caller's logits"""
import torch


def repetition_penalty(logits, tokens, penalty):
    if penalty <= 0:
        raise ValueError("penalty <= 0")
    picked = torch.gather(logits, -1, tokens)
    return logits.scatter_(-1, tokens, torch.where(picked < 0, picked * penalty, picked / penalty))
