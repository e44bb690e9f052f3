"""CAUSE: checks nothing and lets a single column of angles broadcast over all the pairs"""
import torch

# shows: x (2, 3, 8) with angles (3, 1): returns a result, should raise ValueError


def apply_rope(x, angles):
    big = torch.promote_types(x.dtype, torch.float32)
    z = x.to(big)
    c, s = angles.to(big).cos(), angles.to(big).sin()
    try:
        u, v = z[..., 0::2], z[..., 1::2]
        out = torch.stack((u * c - v * s, u * s + v * c), -1).reshape(x.shape)
    except RuntimeError as e:
        raise ValueError(str(e))
    return out.to(x.dtype)
