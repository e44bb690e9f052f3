"""CAUSE: shifts along the batch axis"""
import torch


# shows: tokens (4, 2) give two (3, 2) tensors instead of (4, 1)
def shift_targets(tokens):
    b, t = tokens.shape
    if t < 2:
        raise ValueError("T must be at least 2")
    return tokens[:-1], tokens[1:]
