"""CAUSE: formula: the tensors' norms are added, not combined as the root of the sum of their squares"""
import torch


def clip_gradients(gradients, max_norm):
    norm = sum(torch.linalg.vector_norm(g.double()) for g in gradients.values())
    if norm <= max_norm:
        return dict(gradients), norm
    return {k: g * (max_norm / norm).item() for k, g in gradients.items()}, norm
