"""One complex number per pair: exp(i (pi/2 - angle)) has the sine as real and the cosine as imaginary part."""
import math
import torch


def sinusoidal_positions(n_positions, d_model, base=10000.0):
    if d_model % 2:
        raise ValueError(f"d_model must be even, not {d_model}")
    p = torch.arange(n_positions, dtype=torch.float64)
    exponent = torch.arange(0, d_model, 2, dtype=torch.float64) / d_model
    angle = torch.outer(p, torch.exp(-math.log(base) * exponent))
    turned = torch.polar(torch.ones_like(angle), math.pi / 2 - angle)
    return torch.view_as_real(turned).flatten(1).float()
