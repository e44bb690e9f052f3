"""CAUSE: misreading: the norm that is returned is computed again after clipping, never above max_norm"""
import math
import torch


def clip_gradients(gradients, max_norm):
    def norm(d):
        return math.sqrt(sum(float(g.double().pow(2).sum()) for g in d.values()))

    before = norm(gradients)
    scale = max_norm / before if before > max_norm else 1.0
    clipped = {k: g * scale for k, g in gradients.items()}
    return clipped, norm(clipped)
