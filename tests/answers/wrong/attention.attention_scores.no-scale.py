"""CAUSE: forgets to divide by sqrt(K)"""
import torch


# shows: ones(1, 4) against ones(1, 4) gives 4, should be 2
def attention_scores(q, k):
    return torch.einsum("...qd,...kd->...qk", q, k)
