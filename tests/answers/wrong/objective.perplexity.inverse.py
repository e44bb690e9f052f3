"""CAUSE: sign error, gives exp(-loss), the mean probability"""
import torch


# shows: perplexity(tensor(0.6931)) is 0.5, should be 2
def perplexity(loss):
    if loss.isnan().any():
        raise ValueError("NaN loss")
    return 1.0 / torch.exp(loss)
