"""CAUSE: einsum fixed to (B, T, D), other numbers of leading axes fail"""
import torch


# shows: unembed(hidden of shape (5,), table (7, 5)) is an einsum error, should be (7,)
def unembed(hidden, table):
    return torch.einsum("btd,vd->btv", hidden, table)
