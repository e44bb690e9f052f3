"""CAUSE: normalizes q and k, cosine similarity instead of the scaled dot product"""
import torch
import torch.nn.functional as F


# shows: scores do not change when q is doubled
def attention_scores(q, k):
    qn = F.normalize(q, dim=-1)
    kn = F.normalize(k, dim=-1)
    return qn @ kn.transpose(-1, -2)
