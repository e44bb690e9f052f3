"""CAUSE: wrong index: the logits of the last position are compared, not those at the asked position"""
import torch


def probe_receptive_field(model, tokens, position):
    base = model(tokens)[0, -1]
    seen = torch.zeros(tokens.shape[1], dtype=torch.bool)
    for j in range(tokens.shape[1]):
        t = tokens.clone()
        t[0, j] = (t[0, j] + 1) % base.shape[-1]
        seen[j] = not torch.equal(model(t)[0, -1], base)
    return seen
