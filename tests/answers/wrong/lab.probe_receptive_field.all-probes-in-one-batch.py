"""CAUSE: interface: all T probes are stacked into one batch, but the callable takes (1, T)"""
import torch


def probe_receptive_field(model, tokens, position):
    base = model(tokens)[0, position]
    T = tokens.shape[1]
    batch = tokens.repeat(T, 1)
    batch.diagonal().add_(1).remainder_(base.shape[-1])
    return (model(batch)[:, position] != base).any(-1)
