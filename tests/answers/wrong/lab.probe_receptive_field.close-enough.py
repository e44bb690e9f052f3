"""CAUSE: precision: allclose with its tolerances hides small changes, but any unequal bit counts"""
import torch


def probe_receptive_field(model, tokens, position):
    base = model(tokens)[0, position]
    V = base.shape[0]
    result = torch.zeros(tokens.shape[1], dtype=torch.bool)
    for j, t in enumerate(tokens[0].tolist()):
        probe = tokens.clone()
        probe[0, j] = (t + 1) % V
        result[j] = not torch.allclose(model(probe)[0, position], base)
    return result
