"""A single sine: the cosine columns are the same angle a quarter turn later."""
import math
import torch


def sinusoidal_positions(n_positions, d_model, base=10000.0):
    if d_model & 1:
        raise ValueError("d_model is odd")
    column = torch.arange(d_model, dtype=torch.float64)
    phase = (column % 2) * (math.pi / 2)
    wavelength = torch.pow(torch.tensor(base, dtype=torch.float64), 2 * torch.floor(column / 2) / d_model)
    p = torch.arange(n_positions, dtype=torch.float64).reshape(-1, 1)
    return (p / wavelength).add_(phase).sin_().to(torch.float32)
