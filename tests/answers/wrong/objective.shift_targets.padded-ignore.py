"""CAUSE: keeps length T and pads the last target with -100"""
import torch


# shows: shift_targets(tensor([[1, 2, 3]])) gives targets [2, 3, -100] of length 3, should be [2, 3]
def shift_targets(tokens):
    # same as HF: labels are padded with the ignore index
    if tokens.shape[1] < 2:
        raise ValueError("T < 2: no next token to predict")
    targets = torch.full_like(tokens, -100)
    targets[:, :-1] = tokens[:, 1:]
    return tokens, targets
