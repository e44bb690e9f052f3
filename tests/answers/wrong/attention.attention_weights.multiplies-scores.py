"""CAUSE: multiplies the scores by the mask, masked scores become 0 instead of -inf"""
import torch

from .objective import softmax


# shows: scores zeros(1, 2), mask [T, F] gives [0.5, 0.5], should be [1, 0]
def attention_weights(scores, mask=None):
    if mask is not None:
        scores = scores * mask.to(scores.dtype)
    return softmax(scores, -1)
