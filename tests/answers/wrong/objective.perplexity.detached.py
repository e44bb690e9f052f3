"""CAUSE: detaches the loss, not differentiable"""
import torch


# shows: perplexity(loss).backward() fails for a loss that requires grad
def perplexity(loss):
    with torch.no_grad():  # only a metric
        if torch.isnan(loss):
            raise ValueError("loss is nan")
        return torch.exp(loss)
