"""CAUSE: lets one_hot guess the number of classes from the batch

I like matmuls more than indexing: a row lookup is a one-hot vector times the table.
"""
import torch
import torch.nn.functional as F


# shows: embed(tensor([[0, 1]]), table of 7 rows) stops with a shape error, since one_hot makes only 2 columns
def embed(tokens, table):
    vocab_size = table.shape[0]
    if tokens.numel() > 0:
        if tokens.min() < 0 or tokens.max() >= vocab_size:
            raise ValueError(f"token ids must be in [0, {vocab_size - 1}]")
    hot = F.one_hot(tokens).to(table.dtype)
    return hot @ table
