"""CAUSE: ignores dim, always normalizes the last axis; CAUSE: a slice that is all -inf gives NaN"""
import torch


# shows: softmax(randn(3, 4), dim=0): columns do not sum to 1; softmax(tensor([-inf, -inf])) is nan, should be 0
def softmax(logits, dim=-1):
    m, _ = torch.max(logits, -1, keepdim=True)
    numerator = torch.exp(logits - m)
    denominator = numerator.sum(-1, keepdim=True)
    return numerator.div(denominator)
