"""Builds a 2x2 rotation matrix for every position and pair and applies it with einsum."""
import torch


def apply_rope(x, angles):
    pairs = x.shape[-1] / 2
    if pairs != angles.shape[-1]:
        raise ValueError(f"{angles.shape[-1]} angles for {pairs} pairs")
    work = torch.promote_types(x.dtype, torch.float32)
    c, s = torch.cos(angles.to(work)), torch.sin(angles.to(work))
    rotation = torch.stack([torch.stack([c, -s], -1), torch.stack([s, c], -1)], -2)
    points = x.to(work).reshape(*x.shape[:-1], angles.shape[-1], 2)
    return torch.einsum("tpij,...tpj->...tpi", rotation, points).reshape(x.shape).to(x.dtype)
