"""CAUSE: misreading: torch.multinomial draws with its own random numbers, the given uniform is not used"""
import torch


def sample(probabilities, uniform):
    if probabilities.shape[0] == 0:
        return torch.empty(0, dtype=torch.int64)
    return torch.multinomial(probabilities.double(), 1).squeeze(-1)
