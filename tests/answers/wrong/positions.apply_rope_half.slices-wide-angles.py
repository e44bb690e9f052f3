"""CAUSE: cuts the angles to K/2 columns instead of raising when there are more"""
import torch

# shows: x (2, 3, 4) with angles (3, 4): returns a result, should raise ValueError


def apply_rope_half(x, angles):
    n = x.shape[-1] // 2
    if angles.shape[-1] < n:
        raise ValueError("not enough angles")
    th = angles[:, :n]
    th = th.double() if x.dtype == torch.float64 else th.float()
    x1, x2 = torch.split(x.to(th.dtype), n, dim=-1)
    c, s = th.cos(), th.sin()
    return torch.cat((c * x1 - s * x2, s * x1 + c * x2), dim=-1).to(x.dtype)
