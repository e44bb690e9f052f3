"""CAUSE: wrap-around: torch.roll makes the first token the target of the last position, so T instead of T-1 signals count"""
import torch
import torch.nn.functional as F


def sequence_loss(logits, tokens):
    if tokens.size(0) == 0 or tokens.size(1) < 2:
        raise ValueError("need two tokens")
    targets = torch.roll(tokens, shifts=-1, dims=1)
    return F.cross_entropy(logits.transpose(1, 2), targets)
