"""CAUSE: formula: the maximum norm is used in place of the 2-norm"""
import torch


def clip_gradients(gradients, max_norm):
    peak = max((g.abs().max().item() for g in gradients.values() if g.numel()), default=0.0)
    s = max_norm / peak if peak > max_norm else 1.0
    return {k: g * s for k, g in gradients.items()}, peak
