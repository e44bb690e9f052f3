"""CAUSE: divides the logits by sqrt(D) as if they were attention scores"""
import torch


# shows: unembed(ones(1, 4), ones(2, 4)) gives 2 instead of 4
def unembed(hidden, table):
    d_model = hidden.shape[-1]
    return (hidden @ table.transpose(0, 1)) / d_model ** 0.5
