"""CAUSE: the minus sign sits on the wrong sine, the pairs turn clockwise"""
import torch

# shows: x = [1, 0], angle pi/2 should give [0, 1], gives [0, -1]


def apply_rope(x, angles):
    if angles.shape[-1] != x.shape[-1] // 2 or x.shape[-1] % 2:
        raise ValueError("angles do not match the head width")
    acc = torch.float64 if x.dtype == torch.float64 else torch.float32
    c, s = angles.to(acc).cos(), angles.to(acc).sin()
    even, odd = x[..., 0::2].to(acc), x[..., 1::2].to(acc)
    out = torch.stack((even * c + odd * s, odd * c - even * s), dim=-1)
    return out.flatten(-2).to(x.dtype)
