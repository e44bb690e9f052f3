"""First half real part, second half imaginary part, one complex multiplication."""
import torch


def apply_rope_half(x, angles):
    n = angles.shape[-1]
    if x.shape[-1] != 2 * n:
        raise ValueError(f"expected angles of width {x.shape[-1] / 2:g}, got {n}")
    dtype = torch.double if x.dtype == torch.double else torch.float
    real, imaginary = x.to(dtype).split(n, dim=-1)
    angle = angles.to(dtype)
    turned = torch.complex(real, imaginary) * torch.polar(torch.ones_like(angle), angle)
    return torch.cat([turned.real, turned.imag], dim=-1).to(x.dtype)
