"""CAUSE: weights are transposed before they meet the values"""
import torch

from .attention import attention_scores, attention_weights


# shows: Tq = Tk = 4 with a causal mask: the first output mixes all values
def attention(q, k, v, mask=None):
    a = attention_weights(attention_scores(q, k), mask)
    return a.transpose(-1, -2) @ v
