"""Geometry: subtract the part along the all-ones direction, then set the length to sqrt(D) (softened by eps)."""
import math
import torch


def standardize(x, eps=1e-5):
    D = x.shape[-1]
    h = x.to(torch.float64)
    u = torch.full((D,), 1 / math.sqrt(D), dtype=torch.float64)
    h = h - h[..., :1]
    h = h - (h @ u).unsqueeze(-1) * u
    length = torch.linalg.vector_norm(h, dim=-1, keepdim=True)
    return (h * (math.sqrt(D) / torch.sqrt(length ** 2 + D * eps))).to(x.dtype)
