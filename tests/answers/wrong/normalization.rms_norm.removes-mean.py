"""CAUSE: removes the mean first"""
import torch


# shows: tensor([[1., 3.]]) gives [-1, 1], should be [0.447, 1.342]
def rms_norm(x, weight, eps=1e-6):
    h = x.float() if x.dtype in (torch.float16, torch.bfloat16) else x
    h = h - h.mean(-1, keepdim=True)
    rms = torch.sqrt((h ** 2).mean(-1, keepdim=True) + eps)
    return (h / rms * weight).to(x.dtype)
