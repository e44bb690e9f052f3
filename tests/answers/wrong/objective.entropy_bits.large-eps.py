"""CAUSE: an eps of 1e-5 inside the log, too large for a wide vocabulary"""
import torch

EPS = 1e-5


# shows: uniform over 2048 tokens gives 10.97 bits, should be 11
def entropy_bits(probabilities, dim=-1):
    return -(probabilities * (probabilities + EPS).log2()).sum(dim=dim)
