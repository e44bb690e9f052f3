"""CAUSE: wrong type: the clipped gradients come back in float32 whatever dtype went in, and float64 loses its digits"""
import torch


def clip_gradients(gradients, max_norm):
    g32 = {k: g.float() for k, g in gradients.items()}
    norm = torch.sqrt(sum(g.pow(2).sum() for g in g32.values()))
    scale = torch.clamp(max_norm / norm.clamp_min(1e-30), max=1.0)
    return {k: g * scale for k, g in g32.items()}, norm
