"""CAUSE: permutes the columns (inputs) instead of the rows (outputs) of the projection"""
import torch

# shows: weight = eye(4), n_heads=1 looks right, weight = arange(16).reshape(4, 4) does not


def interleaved_to_half(weight, n_heads):
    R, D = weight.shape
    if R % n_heads or (R // n_heads) % 2:
        raise ValueError("heads do not divide the rows evenly")
    k = D // n_heads
    idx = torch.arange(D).reshape(n_heads, k // 2, 2).permute(0, 2, 1).reshape(-1)
    return weight[:, idx]
