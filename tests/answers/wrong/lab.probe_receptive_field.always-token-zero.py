"""CAUSE: edge case: the replacement is always id 0, nothing changes where the token is 0 already"""
import torch


def probe_receptive_field(model, tokens, position):
    base = model(tokens)[:, position]
    out = torch.zeros(tokens.size(1), dtype=torch.bool)
    for j in range(tokens.size(1)):
        x = tokens.clone()
        x[:, j] = 0
        out[j] = (model(x)[:, position] != base).any()
    return out
