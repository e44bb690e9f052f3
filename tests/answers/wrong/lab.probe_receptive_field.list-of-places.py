"""CAUSE: wrong type: the positions are returned as int64 indices instead of a bool tensor (T,)"""
import torch


def probe_receptive_field(model, tokens, position):
    base = model(tokens)[0, position]
    found = []
    for j in range(tokens.shape[1]):
        t = tokens.clone()
        t[0, j] = (t[0, j] + 1) % base.shape[-1]
        if (model(t)[0, position] != base).any():
            found.append(j)
    return torch.tensor(found, dtype=torch.int64)
