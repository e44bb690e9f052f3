"""CAUSE: mask polarity inverted, masks the places that may attend"""
import torch

from .objective import softmax


# shows: scores zeros(1, 2), mask [T, F] gives [0, 1], should be [1, 0]
def attention_weights(scores, mask=None):
    if mask is None:
        return softmax(scores)
    return softmax(scores.masked_fill(mask, float("-inf")))
