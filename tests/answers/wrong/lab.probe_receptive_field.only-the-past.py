"""CAUSE: assumption: only positions up to the probed one are tried, a model that sees the future is not found out"""
import torch


def probe_receptive_field(model, tokens, position):
    base = model(tokens)[0, position]
    V = base.shape[-1]
    field = torch.zeros(tokens.shape[1], dtype=torch.bool)
    for j in range(position + 1):
        other = tokens.clone()
        other[0, j] = (other[0, j] + 1) % V
        field[j] = bool((model(other)[0, position] != base).any())
    return field
