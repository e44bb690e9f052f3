"""CAUSE: forgotten condition: the factor max_norm/norm is applied also when the norm is below, so small gradients are blown up"""
import torch


def clip_gradients(gradients, max_norm):
    total = torch.sqrt(sum(g.double().square().sum() for g in gradients.values()))
    if total == 0:
        return dict(gradients), total
    factor = float(max_norm / total)
    return {k: g * factor for k, g in gradients.items()}, total
