"""Stays in float32 and divides by the wavelengths, as many checkpoints' code does."""
import torch


def rope_angles(positions, head_width, base=10000.0):
    if head_width % 2 == 1:
        raise ValueError(f"head width {head_width} is odd")
    exponents = torch.arange(0, head_width, 2).float() / head_width
    return positions[:, None].float() / (base ** exponents).to(positions.device)
