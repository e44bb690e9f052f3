"""CAUSE: scale hard coded for K = 64"""
import torch


# shows: every K but 64; ones(1, 4) against ones(1, 4) gives 0.5, should be 2
def attention_scores(q, k):
    scale = 0.125
    return torch.matmul(q * scale, k.transpose(-2, -1))
