"""CAUSE: rolls the tokens, so the last target is the first token and nothing is cut"""
import torch


# shows: shift_targets(tensor([[1, 2, 3]])) gives two (1, 3) tensors, targets [2, 3, 1]
def shift_targets(tokens):
    if tokens.size(1) < 2:
        raise ValueError("sequence too short to shift")
    return tokens, torch.roll(tokens, shifts=-1, dims=1)
