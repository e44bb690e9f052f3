"""CAUSE: unbiased standard deviation; CAUSE: eps added to the standard deviation, outside the root

From the Annotated Transformer.
"""
import torch


# shows: tensor([[1., 3.]]) gives +-0.707 instead of +-1; a row of spread 0.001 is blown up to full size
def layer_norm(x, gamma, beta, eps=1e-5):
    if x.shape[-1] == 1:
        return (torch.zeros_like(x) * gamma + beta).to(x.dtype)
    y = x.double()
    mean = y.mean(-1, keepdim=True)
    std = y.std(-1, keepdim=True)
    return (gamma * (y - mean) / (std + eps) + beta).to(x.dtype)
