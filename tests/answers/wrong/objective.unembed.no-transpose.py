"""CAUSE: table is not transposed"""
import torch


# shows: hidden (3, 5), table (7, 5) is a shape error; with V == D the logits are silently wrong
def unembed(hidden, table):
    logits = torch.matmul(hidden, table)
    return logits
