"""CAUSE: off by one: token + 1 without a modulo, the last id V - 1 becomes V, outside the vocabulary"""
import torch


def probe_receptive_field(model, tokens, position):
    base = model(tokens)[0, position]
    T = tokens.shape[1]
    changed = []
    for j in range(T):
        bump = torch.zeros_like(tokens)
        bump[0, j] = 1
        changed.append(bool((model(tokens + bump)[0, position] != base).any()))
    return torch.tensor(changed, dtype=torch.bool)
