"""CAUSE: masks with -1e9, a query that may attend to nothing gets uniform weights"""
import torch


# shows: mask [F, F] gives [0.5, 0.5], should be [0, 0]
def attention_weights(scores, mask=None):
    if mask is not None:
        scores = scores.masked_fill(mask == 0, -1e9)
    return torch.softmax(scores, dim=-1)
