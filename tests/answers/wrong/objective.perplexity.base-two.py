"""CAUSE: 2 ** loss although the loss is in nats"""
import torch


# shows: perplexity(tensor(1.0)) is 2, should be 2.718
def perplexity(loss):
    if torch.isnan(loss):
        raise ValueError("loss is NaN")
    return torch.pow(2.0, loss)
