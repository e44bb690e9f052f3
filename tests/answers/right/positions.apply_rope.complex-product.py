"""Reads each pair as a complex number and multiplies it with exp(i angle)."""
import torch


def apply_rope(x, angles):
    if x.shape[-1] != 2 * angles.shape[-1]:
        raise ValueError("the angles must have half the head width")
    work = torch.float64 if x.dtype == torch.float64 else torch.float32
    z = torch.complex(x[..., 0::2].to(work), x[..., 1::2].to(work))
    theta = angles.to(work)
    turned = z * torch.complex(theta.cos(), theta.sin())
    return torch.view_as_real(turned).flatten(-2).to(x.dtype)
