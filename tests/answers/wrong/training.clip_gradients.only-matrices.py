"""CAUSE: misreading: vectors are left out of the norm and of the scaling, as if clipping followed the rule for weight decay"""
import torch


def clip_gradients(gradients, max_norm):
    mats = [g for g in gradients.values() if g.dim() >= 2]
    norm = sum(g.double().square().sum().item() for g in mats) ** 0.5
    out = {}
    for k, g in gradients.items():
        out[k] = g * (max_norm / norm) if g.dim() >= 2 and norm > max_norm else g
    return out, norm
