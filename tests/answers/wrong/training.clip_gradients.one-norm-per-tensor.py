"""CAUSE: misreading: every tensor is clipped by its own norm, so the direction of the whole gradient changes"""
import torch


def clip_gradients(gradients, max_norm):
    out, squares = {}, 0.0
    for name, g in gradients.items():
        n = g.double().norm().item()
        squares += n * n
        out[name] = g * (max_norm / n) if n > max_norm else g
    return out, squares ** 0.5
