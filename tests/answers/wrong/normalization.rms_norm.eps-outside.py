"""CAUSE: eps outside the square root"""
import torch


# shows: x = tensor([[0.001, 0.001]]) gives 0.999 instead of 0.707
def rms_norm(x, weight, eps=1e-6):
    """RMSNorm: x / (RMS(x) + eps) * g"""
    hidden = x.to(torch.float64)
    ms = hidden.square().mean(dim=-1, keepdim=True)
    rms = torch.where(ms > 0, torch.sqrt(torch.where(ms > 0, ms, torch.ones_like(ms))), torch.zeros_like(ms))
    return (hidden / (rms + eps) * weight).to(x.dtype)
