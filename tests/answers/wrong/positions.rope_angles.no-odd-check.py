"""CAUSE: an odd head width is cut to (K - 1) / 2 angles without an error"""
import torch

# shows: rope_angles(arange(4), 5) returns a (4, 2) table, should raise ValueError


def rope_angles(positions, head_width, base=10000.0):
    pairs = head_width // 2
    i = torch.arange(pairs, dtype=torch.float64)
    freq = base ** (-2 * i / head_width)
    return torch.outer(positions.double(), freq).float()
