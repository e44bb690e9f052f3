"""The gate is the first entry of a two-way softmax over (u, -u)."""
import torch


def gelu_tanh(x):
    z = x.to(torch.promote_types(x.dtype, torch.float32))
    u = (2 / torch.pi) ** 0.5 * (z + 0.044715 * z * z * z)
    gate, _ = torch.stack((u, -u), dim=0).softmax(dim=0)
    return (z * gate).to(x.dtype)
