"""CAUSE: drops zeros by boolean indexing, which flattens the batch into one number"""
import torch


# shows: a (2, 3) input gives one scalar, should be 2 numbers
def entropy_bits(probabilities, dim=-1):
    p = probabilities[probabilities > 0]
    return -(p * torch.log2(p)).sum()
