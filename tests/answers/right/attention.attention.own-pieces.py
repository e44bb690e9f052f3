"""Scores, weights, values: the two functions before this one and a matrix product."""
from .attention import attention_scores, attention_weights


def attention(q, k, v, mask=None):
    return attention_weights(attention_scores(q, k), mask) @ v
