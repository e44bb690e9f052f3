"""CAUSE: mean and variance are rounded to the 16-bit input type"""
import torch


# shows: bfloat16 rows around 1000 with spread 10: the mean is off by up to 2, every output is shifted
def layer_norm(x, gamma, beta, eps=1e-5):
    mean = x.mean(-1, keepdim=True)
    diff = x - mean
    var = (diff * diff).mean(-1, keepdim=True)
    return gamma * (diff / torch.sqrt(var + eps)) + beta
