"""CAUSE: where applied after the log, the gradient is NaN at the zeros of a causal row"""
import torch


# shows: weights [[1, 0], [0.5, 0.5]]: entropies [0, 1] are right, weights.grad has NaN
def attention_entropy(weights):
    plogp = weights * torch.log2(weights)
    return -torch.where(weights == 0, torch.zeros_like(plogp), plogp).sum(dim=-1)
