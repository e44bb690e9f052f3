"""CAUSE: the zeros of a causal row give NaN"""
import torch


# shows: weights [[1, 0], [0.5, 0.5]]: the first entropy is nan, should be 0
def attention_entropy(weights):
    bits = weights.log2()
    return -torch.einsum("...qk,...qk->...q", weights, bits)
