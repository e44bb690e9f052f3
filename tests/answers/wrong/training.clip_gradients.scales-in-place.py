"""CAUSE: mutated argument: the caller's gradient tensors are multiplied in place"""
import torch


def clip_gradients(gradients, max_norm):
    total = torch.stack([g.double().norm() for g in gradients.values()]).norm()
    if total > max_norm:
        for g in gradients.values():
            g.mul_(float(max_norm / total))
    return gradients, total
