"""CAUSE: no maximum subtracted, exp overflows"""
import torch


# shows: softmax(tensor([1000., 0.])) gives [nan, 0] instead of [1, 0]
def softmax(logits, dim=-1):
    e = torch.exp(logits)
    total = e.sum(dim=dim, keepdim=True)
    return torch.where(total == 0, torch.zeros_like(e), e / torch.where(total == 0, torch.ones_like(total), total))
