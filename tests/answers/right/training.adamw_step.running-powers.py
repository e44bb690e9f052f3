"""Keeps the powers of the betas in place of a step number; dict comprehensions."""
import torch


def adamw_step(parameters, gradients, state, lr, betas=(0.9, 0.95), eps=1e-8, weight_decay=0.1):
    b1, b2 = betas
    power1, power2 = state.get("power1", 1.0) * b1, state.get("power2", 1.0) * b2
    grads = {k: gradients[k].detach().double() for k in parameters}
    m = {k: g * (1 - b1) + b1 * state["m"][k] if state else g * (1 - b1) for k, g in grads.items()}
    v = {k: g * g * (1 - b2) + b2 * state["v"][k] if state else g * g * (1 - b2) for k, g in grads.items()}
    decay = {k: weight_decay if p.dim() >= 2 else 0.0 for k, p in parameters.items()}
    new = {}
    for k, p in parameters.items():
        w = p.detach().double()
        direction = (m[k] / (1 - power1)) / (torch.sqrt(v[k] / (1 - power2)) + eps)
        new[k] = (w - lr * (direction + decay[k] * w)).to(p.dtype)
    return new, {"power1": power1, "power2": power2, "m": m, "v": v}
