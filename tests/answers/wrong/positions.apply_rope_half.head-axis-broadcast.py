"""CAUSE: unsqueezes the angles for a (B, T, H, K) tensor, so they follow the head axis of (B, H, T, K)"""
import torch

# shows: x (1, 3, 3, 4): head h is turned as position h; x (2, 5, 3, 4) raises RuntimeError


def apply_rope_half(x, angles):
    half = x.shape[-1] // 2
    if half != angles.shape[-1]:
        raise ValueError("K/2 != number of angle columns")
    work = torch.promote_types(torch.float32, x.dtype)
    cos = torch.cos(angles.to(work))
    sin = torch.sin(angles.to(work))
    if x.ndim > 2:
        cos, sin = cos.unsqueeze(1), sin.unsqueeze(1)
    lo, hi = x[..., :half].to(work), x[..., half:].to(work)
    return torch.cat([lo * cos - hi * sin, hi * cos + lo * sin], -1).to(x.dtype)
