"""CAUSE: does not cast back, 16-bit input gives a float32 result"""
import torch


# shows: bfloat16 in, float32 out
def rms_norm(x, weight, eps=1e-6):
    if x.dtype in (torch.bfloat16, torch.float16):
        x = x.float()
        weight = weight.float()
    return weight * x * torch.rsqrt(x.pow(2).mean(-1, keepdim=True) + eps)
