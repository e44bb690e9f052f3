"""One frozen dataclass a parameter in the state, float64 moments."""
from dataclasses import dataclass

import torch


@dataclass(frozen=True)
class Slot:
    step: int
    mean: torch.Tensor
    square: torch.Tensor


def adamw_step(parameters, gradients, state, lr, betas=(0.9, 0.95), eps=1e-8, weight_decay=0.1):
    fresh, slots = {}, {}
    with torch.no_grad():
        for name, p in parameters.items():
            g = gradients[name].to(torch.float64)
            old = state.get(name) or Slot(0, torch.zeros_like(g), torch.zeros_like(g))
            now = Slot(
                old.step + 1,
                torch.lerp(old.mean, g, 1 - betas[0]),
                old.square * betas[1] + g.square() * (1 - betas[1]),
            )
            w = p.to(torch.float64)
            if p.ndim >= 2:
                w = w * (1 - lr * weight_decay)
            mean = now.mean / (1 - betas[0] ** now.step)
            root = (now.square / (1 - betas[1] ** now.step)).sqrt()
            fresh[name] = (w - lr * mean / (root + eps)).to(p.dtype)
            slots[name] = now
    return fresh, slots
