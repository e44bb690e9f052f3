"""log2(n) bits for a uniform row, less the divergence of the row from uniform."""
import math
import torch


def attention_entropy(weights):
    n = weights.shape[-1]
    w = weights.to(torch.float64)
    ratio = torch.where(w == 0, torch.ones_like(w), w * n)
    divergence = (w * ratio.log2()).sum(-1)
    # times the mass of the row, so that a row of zeros has no entropy
    return (w.sum(-1) * math.log2(n) - divergence).to(weights.dtype)
