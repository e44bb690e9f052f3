"""Sorts the features into the half layout, uses the other exercise, and sorts them back."""
import torch
from .positions import apply_rope_half


def apply_rope(x, angles):
    width = x.shape[-1]
    if width != angles.shape[-1] * 2:
        raise ValueError("need one angle for each pair of features")
    order = torch.cat([torch.arange(0, width, 2), torch.arange(1, width, 2)])
    return apply_rope_half(x[..., order], angles)[..., order.argsort()]
