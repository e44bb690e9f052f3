"""CAUSE: adds a 0 / -inf bias and repairs NaN after the softmax, so the gradient of a fully masked query is NaN"""
import torch


# shows: mask [[F, F], [T, T]]: weights are right, scores.grad is NaN in row 0
def attention_weights(scores, mask=None):
    if mask is not None:
        bias = torch.zeros(mask.shape, dtype=scores.dtype).masked_fill(~mask, float("-inf"))
        scores = scores + bias
    top = scores.amax(-1, keepdim=True)
    e = torch.exp(scores - top)
    w = e / e.sum(-1, keepdim=True)
    return torch.where(torch.isnan(w), torch.zeros_like(w), w)
