"""CAUSE: inputs and targets swapped"""
import torch


# shows: shift_targets(tensor([[1, 2, 3]])) gives inputs [2, 3] and targets [1, 2]
def shift_targets(tokens):
    if tokens.shape[-1] < 2:
        raise ValueError("need at least two tokens")
    targets, inputs = tokens[:, :-1], tokens[:, 1:]
    return inputs, targets
