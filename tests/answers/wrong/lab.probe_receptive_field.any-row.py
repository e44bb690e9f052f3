"""CAUSE: wrong index: all logits are compared, so every position that matters anywhere is reported"""
import torch


def probe_receptive_field(model, tokens, position):
    base = model(tokens)
    V = base.shape[-1]
    return torch.tensor([
        not torch.equal(model(tokens.index_fill(1, torch.tensor([j]), (int(tokens[0, j]) + 1) % V)), base)
        for j in range(tokens.shape[1])
    ])
