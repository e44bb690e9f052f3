"""Add the terms key by key in double precision."""
import torch


def attention_entropy(weights: torch.Tensor) -> torch.Tensor:
    w = weights.double()
    bits = torch.zeros_like(w[..., 0])
    for j in range(w.shape[-1]):
        p = w[..., j]
        bits = bits - p * torch.log2(torch.where(p > 0, p, torch.ones_like(p)))
    return bits.to(weights.dtype)
