"""CAUSE: softmax over the queries instead of the keys; CAUSE: fully masked slices give NaN"""
import torch
import torch.nn.functional as F


# shows: randn(4, 5): rows do not sum to 1; with a column of False in the mask that column is nan
def attention_weights(scores, mask=None):
    # every key distributes its attention
    if mask is not None:
        scores = scores.masked_fill(mask.logical_not(), -float("inf"))
    return F.softmax(scores, dim=scores.dim() - 2)
