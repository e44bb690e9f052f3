"""Python floats, the norm grown with math.hypot tensor by tensor."""
import math
import torch


def clip_gradients(gradients, max_norm):
    norm = 0.0
    for g in gradients.values():
        norm = math.hypot(norm, g.detach().double().pow(2).sum().sqrt().item())
    clipped = {}
    for name in gradients:
        copy = gradients[name].double()
        if norm > max_norm:
            copy = copy * (max_norm / norm)
        clipped[name] = copy.to(gradients[name].dtype)
    return clipped, norm
