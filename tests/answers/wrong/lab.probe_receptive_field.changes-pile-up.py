"""CAUSE: state: a replaced token is not put back, so later tests compare with several changes at once"""
import torch


def probe_receptive_field(model, tokens, position):
    base = model(tokens)[0, position].clone()
    probe = tokens.clone()
    hits = []
    for j in range(tokens.shape[1]):
        probe[0, j] = (probe[0, j] + 1) % base.numel()
        hits.append(not torch.equal(model(probe)[0, position], base))
    return torch.tensor(hits)
