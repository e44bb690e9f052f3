"""CAUSE: natural log instead of log2; CAUSE: averages over the queries"""
import torch


# shows: uniform weights (1, 4) give the scalar 1.386, should be tensor([2.])
def attention_entropy(weights):
    eps = torch.finfo(weights.dtype).tiny
    ent = -(weights * (weights + eps).log()).sum(-1)
    return ent.mean(-1)
