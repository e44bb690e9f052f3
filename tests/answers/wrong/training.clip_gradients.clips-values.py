"""CAUSE: misreading: every entry is clamped to [-max_norm, max_norm] (value clipping) instead of scaling by the norm"""
import torch


def clip_gradients(gradients, max_norm):
    total = torch.sqrt(sum((g.double() ** 2).sum() for g in gradients.values()))
    return {k: g.clamp(-max_norm, max_norm) for k, g in gradients.items()}, total
