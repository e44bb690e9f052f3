"""CAUSE: mutated argument: each probability is subtracted in place from the caller's uniform numbers"""
import torch


def sample(probabilities, uniform):
    total = probabilities.sum(-1)
    uniform *= total
    out = torch.full(uniform.shape, -1, dtype=torch.int64)
    for i in range(probabilities.shape[-1]):
        uniform -= probabilities[:, i]
        out[(uniform < 0) & (out < 0)] = i
    last = probabilities.shape[-1] - 1 - probabilities.flip(-1).gt(0).int().argmax(-1)
    return torch.where(out < 0, last, out)
