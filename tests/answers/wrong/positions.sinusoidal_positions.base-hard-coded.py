"""CAUSE: writes log(10000) into the formula and ignores the base argument"""
import math
import torch

# shows: base=100.0 gives the same table as the default


def sinusoidal_positions(n_positions, d_model, base=10000.0):
    if d_model % 2:
        raise ValueError("sin/cos pairs need an even width, got %d" % d_model)
    pe = torch.zeros(n_positions, d_model)
    position = torch.arange(0, n_positions, dtype=torch.float).unsqueeze(1)
    div_term = torch.exp(torch.arange(0, d_model, 2).float() * (-math.log(10000.0) / d_model))
    pe[:, 0::2] = torch.sin(position * div_term)
    pe[:, 1::2] = torch.cos(position * div_term)
    return pe
