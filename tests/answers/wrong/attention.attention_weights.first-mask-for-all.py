"""CAUSE: uses the mask of the first sample for the whole batch"""
import torch

from .objective import softmax


# shows: scores (2, 1, 2, 2) with a mask (2, 1, 2, 2) that differs between the samples: sample 1 gets sample 0's mask
def attention_weights(scores, mask=None):
    if mask is not None:
        while mask.dim() > 2:  # reduce to (Tq, Tk)
            mask = mask[0]
        if scores.numel() > 0:
            scores = scores.masked_fill(~mask, float("-inf"))
    return softmax(scores, dim=-1)
