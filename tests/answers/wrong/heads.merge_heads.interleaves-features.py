"""CAUSE: puts the head axis last, so the features of the heads are interleaved"""
import torch

# shows: heads [[1,2]] and [[3,4]] at T=1 give 1,3,2,4 instead of 1,2,3,4


def merge_heads(x):
    B, H, T, K = x.shape
    out = torch.einsum("bhtk->btkh", x)
    return out.reshape(B, T, K * H)
