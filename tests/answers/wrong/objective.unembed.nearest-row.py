"""CAUSE: uses negative squared distance to each row instead of the dot product

Undoing the embedding means asking which row the hidden vector is closest to.
"""
import torch


# shows: unembed(tensor([1., 0.]), tensor([[1., 0.], [3., 0.]])) gives [0, -4], should be [1, 3]
def unembed(hidden, table):
    difference = hidden.unsqueeze(-2) - table
    return -(difference ** 2).sum(dim=-1)
