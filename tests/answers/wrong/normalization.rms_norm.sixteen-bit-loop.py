"""CAUSE: adds up the squares in the 16-bit type, the running sum stops growing"""
import torch


# shows: bfloat16 ones of width 2048: the mean sticks at 1/8, the result is 2.8 instead of 1
def rms_norm(x, weight, eps=1e-6):
    D = x.shape[-1]
    acc = torch.zeros(x.shape[:-1], dtype=x.dtype)
    for j in range(D):
        acc = acc + x[..., j] * x[..., j] / D
    rms = (acc + eps).sqrt().unsqueeze(-1)
    return x / rms * weight
