"""CAUSE: two mistakes: the probed position is reported without a test, and the result has shape (1, T)"""
import torch


def probe_receptive_field(model, tokens, position):
    base = model(tokens)[0, position]
    out = torch.zeros_like(tokens, dtype=torch.bool)
    for j in range(tokens.shape[1]):
        if j == position:
            out[0, j] = True
            continue
        t = tokens.clone()
        t[0, j] = (t[0, j] + 1) % base.shape[-1]
        out[0, j] = bool((model(t)[0, position] != base).any())
    return out
