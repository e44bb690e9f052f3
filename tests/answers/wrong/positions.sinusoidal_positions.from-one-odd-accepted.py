"""CAUSE: counts positions from 1; CAUSE: pads an odd width instead of raising"""
import torch

# shows: row 0 should be 0,1,0,1..., is sin(1), cos(1), ...; d_model=5 returns a table


def sinusoidal_positions(n_positions, d_model, base=10000.0):
    half = (d_model + 1) // 2
    t = torch.arange(1, n_positions + 1, dtype=torch.float64)
    freqs = base ** (-2.0 * torch.arange(half, dtype=torch.float64) / d_model)
    ang = t[:, None] * freqs[None, :]
    both = torch.stack((torch.sin(ang), torch.cos(ang)), dim=2).flatten(1)
    return both[:, :d_model].float()
