"""CAUSE: formula: the sum of squares is used as the norm, the root is missing"""
import torch


def clip_gradients(gradients, max_norm):
    total = 0.0
    for g in gradients.values():
        total += g.double().square().sum().item()
    factor = min(1.0, max_norm / total) if total > 0 else 1.0
    return {name: g * factor for name, g in gradients.items()}, total
