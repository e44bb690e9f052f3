"""CAUSE: k q^T instead of q k^T"""
import torch


# shows: q (4, 6), k (5, 6) give (5, 4); with equal lengths the scores are transposed
def attention_scores(q, k):
    scale = torch.sqrt(torch.tensor(float(q.shape[-1]))).item()
    return k.matmul(q.transpose(-1, -2)) / scale
