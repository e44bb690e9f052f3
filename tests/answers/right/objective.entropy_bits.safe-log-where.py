"""Replace the zeros by ones inside the logarithm only, then sum -p * log2(p)."""
import torch


def entropy_bits(probabilities, dim=-1):
    p = probabilities.to(torch.promote_types(probabilities.dtype, torch.float32))
    inside = torch.where(p > 0, p, torch.ones_like(p))
    return (-(p * torch.log2(inside)).sum(dim=dim)).to(probabilities.dtype)
