"""sqrt(mean square + eps) is a hypotenuse: legs norm / sqrt(D) and sqrt(eps)."""
import math
import torch


def rms_norm(x, weight, eps=1e-6):
    wide = torch.promote_types(x.dtype, torch.float32)
    h = x.to(wide)
    leg = torch.linalg.vector_norm(h, dim=-1, keepdim=True) / math.sqrt(x.shape[-1])
    scale = torch.hypot(leg, torch.full_like(leg, math.sqrt(eps)))
    return (weight.to(wide) * h / scale).to(x.dtype)
