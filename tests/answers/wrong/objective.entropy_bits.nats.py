"""CAUSE: natural log, entropy in nats"""
import torch


# shows: entropy_bits(tensor([0.5, 0.5])) is 0.693, should be 1
def entropy_bits(probabilities, dim=-1):
    p = probabilities
    logp = torch.log(torch.where(p > 0, p, torch.ones_like(p)))
    return -(p * logp).sum(dim=dim)
