"""CAUSE: computes the second coordinate from the first one after it was already overwritten"""
import torch

# shows: x = [1, 0], angle pi/2: first becomes 0, then second = 0*1 + 0*0 = 0 instead of 1


def apply_rope(x, angles):
    k = x.shape[-1]
    if k != 2 * angles.shape[-1]:
        raise ValueError("K/2 differs from the number of angles")
    wide = torch.float64 if x.dtype == torch.float64 else torch.float32
    ang = angles.to(wide)
    cols = list(x.to(wide).unbind(-1))
    for i in range(k // 2):
        c = torch.cos(ang[:, i])
        s = torch.sin(ang[:, i])
        cols[2 * i] = cols[2 * i] * c - cols[2 * i + 1] * s
        cols[2 * i + 1] = cols[2 * i] * s + cols[2 * i + 1] * c
    return torch.stack(cols, dim=-1).to(x.dtype)
