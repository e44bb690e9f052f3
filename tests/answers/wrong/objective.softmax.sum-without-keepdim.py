"""CAUSE: sum over dim without keepdim, the denominators broadcast along the wrong axis"""
import torch


# shows: softmax(randn(4, 4)): rows do not sum to 1 (and a 3 x 5 input is a shape error)
def softmax(logits, dim=-1):
    peak, _ = logits.max(dim=dim, keepdim=True)
    peak = peak.masked_fill(torch.isneginf(peak), 0.0)
    exps = torch.exp(logits - peak)
    denom = exps.sum(dim=dim)
    denom = torch.where(denom == 0, torch.ones_like(denom), denom)
    return exps / denom
