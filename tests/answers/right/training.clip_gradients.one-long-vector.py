"""Flattens everything into one float64 vector."""
import torch


def clip_gradients(gradients, max_norm):
    pieces = [g.reshape(-1).to(torch.float64) for g in gradients.values()]
    if not pieces:
        return {}, torch.zeros(())
    norm = torch.linalg.vector_norm(torch.cat(pieces))
    factor = max_norm / norm if norm > max_norm else 1.0
    clipped = {name: (g.to(torch.float64) * factor).to(g.dtype) for name, g in gradients.items()}
    return clipped, norm.to(next(iter(gradients.values())).dtype)
