"""CAUSE: swapped arguments: the second beta drives the mean and the first the variance"""
import torch


def adamw_step(parameters, gradients, state, lr, betas=(0.9, 0.95), eps=1e-8, weight_decay=0.1):
    b2, b1 = betas
    new_p, new_s = {}, {}
    for name, p in parameters.items():
        g = gradients[name].double()
        t, m, v = state.get(name, (0, torch.zeros_like(g), torch.zeros_like(g)))
        t, m, v = t + 1, b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * g * g
        w = p.double()
        if p.dim() >= 2:
            w = w - w * lr * weight_decay
        new_p[name] = (w - lr * (m / (1 - b1 ** t)) / ((v / (1 - b2 ** t)).sqrt() + eps)).to(p.dtype)
        new_s[name] = (t, m, v)
    return new_p, new_s
