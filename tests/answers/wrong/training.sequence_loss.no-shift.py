"""CAUSE: misreading: logits at t are scored against the token at t itself, the targets are never moved to the next token"""
import torch
import torch.nn.functional as F


def sequence_loss(logits, tokens):
    B, T, V = logits.shape
    if B == 0 or T < 2:
        raise ValueError("need at least one row and two tokens")
    return F.cross_entropy(logits.reshape(-1, V), tokens.reshape(-1))
