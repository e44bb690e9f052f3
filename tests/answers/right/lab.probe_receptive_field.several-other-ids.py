"""Tries up to three other ids until one makes a difference."""
import torch


def probe_receptive_field(model, tokens, position):
    base = model(tokens.clone())[0, position].clone()
    V = base.shape[-1]
    seen = torch.zeros(tokens.shape[1], dtype=torch.bool)
    for j in range(tokens.shape[1]):
        own = int(tokens[0, j])
        for other in [i for i in range(V) if i != own][:3]:
            probe = tokens.clone()
            probe[0, j] = other
            if not torch.equal(model(probe)[0, position], base):
                seen[j] = True
                break
    return seen
