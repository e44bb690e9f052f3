"""CAUSE: formula: the sums of the logits are compared, changes that cancel are missed"""
import torch


def probe_receptive_field(model, tokens, position):
    base = model(tokens)[0, position]
    out = torch.zeros(tokens.shape[1], dtype=torch.bool)
    for j in range(tokens.shape[1]):
        t = tokens.clone()
        t[0, j] = (t[0, j] + 1) % base.shape[-1]
        out[j] = (model(t)[0, position] - base).double().sum().abs() > 1e-9
    return out
