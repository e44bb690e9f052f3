"""CAUSE: rotate_half returns (x2, -x1) instead of (-x2, x1), so it turns clockwise"""
import torch

# shows: x = [1, 0], angle pi/2 should give [0, 1], gives [0, -1]


def rotate_half(x):
    x1 = x[..., : x.shape[-1] // 2]
    x2 = x[..., x.shape[-1] // 2 :]
    return torch.cat((x2, -x1), dim=-1)


def apply_rope_half(x, angles):
    if angles.shape[-1] * 2 != x.shape[-1]:
        raise ValueError("angles must cover half the head width")
    work = torch.promote_types(x.dtype, torch.float32)
    emb = torch.cat((angles, angles), dim=-1).to(work)
    xf = x.to(work)
    return (xf * emb.cos() + rotate_half(xf) * emb.sin()).to(x.dtype)
