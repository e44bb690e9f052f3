"""CAUSE: numbers the rows 0..T-1 and never looks at the values in positions"""
import torch

# shows: positions = tensor([7]) gives the angles of position 0


def rope_angles(positions, head_width, base=10000.0):
    if head_width & 1:
        raise ValueError("odd head width")
    seq_len = positions.shape[0]
    freqs = 1.0 / (base ** (torch.arange(0, head_width, 2).float() / head_width))
    t = torch.arange(seq_len, dtype=torch.float32)
    return torch.outer(t, freqs)
