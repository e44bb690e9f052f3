"""Fills an empty result half by half, with addcmul on the products."""
import torch


def apply_rope_half(x, angles):
    half = angles.shape[-1]
    if x.shape[-1] != half + half:
        raise ValueError("the head width is not twice the number of angles")
    work = torch.promote_types(x.dtype, torch.float32)
    cos, sin = angles.to(work).cos(), angles.to(work).sin()
    a, b = x[..., :half].to(work), x[..., half:].to(work)
    result = torch.zeros(x.shape, dtype=work, device=x.device)
    result[..., :half] = torch.addcmul(a * cos, b, sin, value=-1)
    result[..., half:] = torch.addcmul(b * cos, a, sin)
    return result.to(x.dtype)
