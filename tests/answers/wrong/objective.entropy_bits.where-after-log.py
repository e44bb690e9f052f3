"""CAUSE: where applied after the log, gradient at 0 is NaN"""
import torch


# shows: p = tensor([1., 0.]): the value is 0, but p.grad has NaN
def entropy_bits(probabilities, dim=-1):
    terms = probabilities * torch.log2(probabilities)
    terms = torch.where(probabilities > 0, terms, torch.zeros_like(terms))
    return -terms.sum(dim)
