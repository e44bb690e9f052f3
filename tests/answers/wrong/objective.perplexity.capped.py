"""CAUSE: caps the loss at 20 before the exponential"""
import torch


# shows: perplexity(tensor(25.)) is 4.85e8, should be 7.2e10
def perplexity(loss):
    if bool(torch.isnan(loss)):
        raise ValueError("got a NaN loss")
    # otherwise the first training steps overflow
    return torch.exp(torch.clamp(loss, max=20.0))
