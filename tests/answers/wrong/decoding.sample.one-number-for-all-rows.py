"""CAUSE: broadcast: the first uniform number is used for every row"""
import torch


def sample(probabilities, uniform):
    out = torch.zeros(probabilities.shape[0], dtype=torch.int64)
    for b, row in enumerate(probabilities.double()):
        target = uniform[0].double() * row.sum()
        acc = 0.0
        for i, w in enumerate(row):
            acc = acc + w
            if acc > target:
                out[b] = i
                break
    return out
