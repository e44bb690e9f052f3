"""CAUSE: goes through NumPy, which cuts the gradient and does not know bfloat16"""
import numpy as np
import torch

# shows: x = randn(1, 2, 3, 4, requires_grad=True): the output has no grad_fn; bfloat16 x -> TypeError


def merge_heads(x):
    a = x.detach().cpu().numpy()
    b, h, t, k = a.shape
    a = np.ascontiguousarray(np.swapaxes(a, 1, 2)).reshape(b, t, h * k)
    return torch.from_numpy(a)
