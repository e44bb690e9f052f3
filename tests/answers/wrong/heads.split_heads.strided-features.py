"""CAUSE: head h gets every H-th feature (h, h+H, h+2H ...) instead of a contiguous slice"""
import torch

# shows: x = arange(8).reshape(1, 1, 8), n_heads=2: head 0 is 0,2,4,6 and should be 0,1,2,3


def split_heads(x, n_heads):
    if x.shape[-1] % n_heads:
        raise ValueError("width must be a multiple of n_heads")
    heads = [x[:, :, h::n_heads] for h in range(n_heads)]
    return torch.stack(heads, dim=1)
