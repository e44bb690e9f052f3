"""Append a coordinate sqrt(D * eps), make the longer vector a unit vector, drop the coordinate, scale by sqrt(D)."""
import math
import torch
import torch.nn.functional as F


def rms_norm(x, weight, eps=1e-6):
    D = x.size(-1)
    h = x.double()
    extra = torch.full_like(h[..., :1], math.sqrt(D * eps))
    unit = F.normalize(torch.cat((h, extra), dim=-1), dim=-1, eps=1e-300)
    return (unit.narrow(-1, 0, D) * math.sqrt(D) * weight.double()).to(x.dtype)
