"""CAUSE: forgotten sign: negative logits are divided as well, which makes seen tokens more probable"""
import torch


def repetition_penalty(logits, tokens, penalty):
    if not penalty > 0:
        raise ValueError("penalty must be positive")
    return logits.scatter(-1, tokens, logits.gather(-1, tokens) / penalty)
