"""CAUSE: mutated argument: the probe is the caller's tensor, and the saved token is a view of it, so putting it back does nothing"""
import torch


def probe_receptive_field(model, tokens, position):
    base = model(tokens)[0, position].clone()
    field = torch.zeros(tokens.shape[1], dtype=torch.bool)
    for j in range(tokens.shape[1]):
        saved = tokens[0, j]
        tokens[0, j] = (saved + 1) % base.shape[-1]
        field[j] = not torch.equal(model(tokens)[0, position], base)
        tokens[0, j] = saved
    return field
