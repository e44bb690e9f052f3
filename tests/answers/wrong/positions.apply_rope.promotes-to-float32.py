"""CAUSE: never casts back, so 16-bit input comes out as float32"""
import torch

# shows: x in bfloat16: result.dtype is torch.float32


def apply_rope(x, angles):
    if angles.shape[-1] * 2 != x.shape[-1]:
        raise ValueError("shape mismatch between x and angles")
    pairs = x.unflatten(-1, (-1, 2))
    c = angles.cos()
    s = angles.sin()
    rotated = torch.stack((
        pairs[..., 0] * c - pairs[..., 1] * s,
        pairs[..., 0] * s + pairs[..., 1] * c,
    ), dim=-1)
    return rotated.flatten(-2)
