"""CAUSE: writes the rotated pairs into x itself and so changes the input"""
import torch

# shows: x_before = x.clone(); apply_rope(x, angles): x is no longer x_before


def apply_rope(x, angles):
    if x.shape[-1] // 2 != angles.shape[-1] or x.shape[-1] % 2:
        raise ValueError("angles have the wrong width")
    dt = torch.float64 if x.dtype == torch.float64 else torch.float32
    cos, sin = angles.to(dt).cos(), angles.to(dt).sin()
    a = x[..., 0::2].to(dt).clone()
    b = x[..., 1::2].to(dt).clone()
    x[..., 0::2] = (a * cos - b * sin).to(x.dtype)
    x[..., 1::2] = (a * sin + b * cos).to(x.dtype)
    return x
