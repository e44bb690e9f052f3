"""CAUSE: repeats the angles as a0,a0,a1,a1 (the interleaved table) while the pairs are halves"""
import torch

# shows: K=4, angles [[0, 1]]: feature 1 is turned by angle 0 and feature 2 by angle 1, they should be 1 and 0


def _rot(x):
    a, b = x.chunk(2, dim=-1)
    return torch.cat([-b, a], dim=-1)


def apply_rope_half(x, angles):
    if x.shape[-1] != 2 * angles.shape[-1]:
        raise ValueError("expected (T, K/2) angles")
    prec = torch.float64 if x.dtype == torch.float64 else torch.float32
    full = angles.to(prec).repeat_interleave(2, dim=-1)
    y = x.to(prec)
    return (y * full.cos() + _rot(y) * full.sin()).to(x.dtype)
