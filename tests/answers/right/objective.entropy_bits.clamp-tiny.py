"""Clamp the argument of the log at the smallest normal number; p itself is untouched so 0 stays 0."""
import math
import torch


def entropy_bits(probabilities, dim=-1):
    p = probabilities.double()
    nats = torch.sum(p * p.clamp_min(torch.finfo(p.dtype).tiny).log(), dim)
    return (nats / -math.log(2)).to(probabilities.dtype)
