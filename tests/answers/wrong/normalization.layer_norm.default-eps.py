"""CAUSE: default eps is 1e-12 (as in BERT), not 1e-5"""
import torch


# shows: tensor([[0.001, -0.001]]) without eps gives +-1, should be +-0.30
def layer_norm(x, gamma, beta, eps=1e-12):
    u = x.double().mean(-1, keepdim=True)
    s = (x.double() - u).pow(2).mean(-1, keepdim=True)
    x_norm = (x.double() - u) / torch.sqrt(s + eps)
    return (gamma * x_norm + beta).to(x.dtype)
