"""CAUSE: puts the odd rows of a head before the even ones"""
import torch

# shows: weight = arange(4)[:, None], n_heads=1: rows 1,3,0,2 instead of 0,2,1,3


def interleaved_to_half(weight, n_heads):
    if weight.shape[0] % n_heads:
        raise ValueError("rows must be divisible by n_heads")
    K = weight.shape[0] // n_heads
    if K % 2:
        raise ValueError("odd head width")
    order = []
    for h in range(n_heads):
        order += [h * K + 2 * i + 1 for i in range(K // 2)]
        order += [h * K + 2 * i for i in range(K // 2)]
    return weight[torch.tensor(order)]
