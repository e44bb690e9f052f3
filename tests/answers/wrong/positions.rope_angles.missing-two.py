"""CAUSE: the exponent is -i/K, the factor 2 is missing"""
import torch

# shows: rope_angles(tensor([1]), 4) should be [1, 0.01], is [1, 0.1]


def rope_angles(positions, head_width, base=10000.0):
    if head_width % 2:
        raise ValueError("head width must be even")
    i = torch.arange(head_width // 2, dtype=torch.float32)
    theta = base ** (-i / head_width)
    return positions.float()[:, None] * theta
