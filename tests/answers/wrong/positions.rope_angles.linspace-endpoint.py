"""CAUSE: spaces the exponents with linspace(0, 1), which includes the end point and stretches the steps"""
import torch

# shows: rope_angles(tensor([1]), 4) should be [1, 0.01], is [1, 0.0001]


def rope_angles(positions, head_width, base=10000.0):
    if head_width % 2:
        raise ValueError("K must be even")
    exponents = torch.linspace(0, 1, head_width // 2)
    frequencies = torch.pow(torch.tensor(base), -exponents)
    return positions.to(torch.float32).unsqueeze(-1) * frequencies.unsqueeze(0)
