"""CAUSE: rotates the right pairs but concatenates the results, so the output is in the half layout"""
import torch

# shows: angles all 0 and K=4: x = [1,2,3,4] comes back as [1,3,2,4]


def apply_rope(x, angles):
    if x.shape[-1] != 2 * angles.shape[-1]:
        raise ValueError("wrong number of angles")
    ctype = torch.promote_types(x.dtype, torch.float32)
    cos = torch.cos(angles.to(ctype))
    sin = torch.sin(angles.to(ctype))
    x1 = x[..., ::2].to(ctype)
    x2 = x[..., 1::2].to(ctype)
    y1 = x1 * cos - x2 * sin
    y2 = x1 * sin + x2 * cos
    return torch.cat([y1, y2], dim=-1).to(x.dtype)
