"""Takes the heads apart along their axis and glues them next to one another."""
import torch


def merge_heads(x):
    return torch.cat(x.unbind(dim=-3), dim=-1)
