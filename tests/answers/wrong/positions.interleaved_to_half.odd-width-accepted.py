"""CAUSE: checks that the heads divide the rows but not that the head width is even"""
import torch

# shows: weight (6, 4), n_heads=2 (K=3): returns rows 0,2,1,3,5,4, should raise ValueError


def interleaved_to_half(weight, n_heads):
    if weight.shape[0] % n_heads != 0:
        raise ValueError("rows of the projection are not divisible by n_heads")
    per_head = weight.chunk(n_heads, dim=0)
    return torch.cat([torch.cat((w[0::2], w[1::2])) for w in per_head])
