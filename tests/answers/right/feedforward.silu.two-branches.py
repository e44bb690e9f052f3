"""Writes the sigmoid out with exp of minus the absolute value, one fraction for each sign."""
import torch


def silu(x):
    y = x.to(torch.promote_types(x.dtype, torch.float32))
    small = torch.exp(-torch.abs(y))
    top = torch.where(y < 0, small, torch.ones_like(small))
    return (y * top / (1 + small)).to(x.dtype)
