"""CAUSE: entropy in nats"""
import torch


# shows: weights [0.5, 0.5] give 0.693, should be 1 bit
def attention_entropy(weights):
    return -torch.xlogy(weights, weights.clamp(min=1e-30)).sum(dim=-1)
