"""The outer product of positions and frequencies in double, rounded at the end."""
import math
import torch


def rope_angles(positions, head_width, base=10000.0):
    if head_width % 2:
        raise ValueError("RoPE turns pairs: the head width must be even")
    i = torch.arange(head_width // 2, dtype=torch.float64, device=positions.device)
    frequency = torch.exp(i * (-2.0 * math.log(base) / head_width))
    return torch.outer(positions.to(torch.float64), frequency).to(torch.float32)
