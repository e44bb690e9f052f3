"""einsum for the mean square, and the weight as a diagonal matrix."""
import torch


def rms_norm(x, weight, eps=1e-6):
    dt = torch.float64 if x.dtype == torch.float64 else torch.float32
    v = x.to(dt)
    ms = torch.einsum("...i,...i->...", v, v).div(v.shape[-1])
    v = v / (ms + eps).sqrt()[..., None]
    return (v @ torch.diag(weight.to(dt))).to(x.dtype)
