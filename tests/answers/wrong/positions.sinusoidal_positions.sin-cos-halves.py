"""CAUSE: puts all sines in the first half and all cosines in the second instead of alternating columns"""
import torch

# shows: sinusoidal_positions(4, 4): column 1 should be cos(p), is sin(p / 100)


def sinusoidal_positions(n_positions, d_model, base=10000.0):
    if d_model % 2 == 1:
        raise ValueError("d_model must be even")
    inv_freq = 1.0 / (base ** (torch.arange(0, d_model, 2).float() / d_model))
    angles = torch.outer(torch.arange(n_positions).float(), inv_freq)
    return torch.cat((angles.sin(), angles.cos()), dim=-1)
