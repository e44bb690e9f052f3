"""CAUSE: forgotten edge case: each tensor is first divided by the norm and then stretched to min(norm, max_norm); zero gradients give 0/0 = NaN"""
import torch


def clip_gradients(gradients, max_norm):
    flat = torch.cat([g.reshape(-1).double() for g in gradients.values()])
    norm = flat.norm()
    target = min(norm.item(), max_norm)
    return {k: (g.double() / norm * target).to(g.dtype) for k, g in gradients.items()}, norm
