"""CAUSE: the mask is never used"""
import torch

from .attention import attention_scores, attention_weights


# shows: attention(q, k, v, causal_mask(4, 4)) equals attention(q, k, v)
def attention(q, k, v, mask=None):
    scores = attention_scores(q, k)
    weights = attention_weights(scores)
    context = torch.matmul(weights, v)
    return context
