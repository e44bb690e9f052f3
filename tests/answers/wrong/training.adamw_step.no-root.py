"""CAUSE: two mistakes: the mean is divided by the second moment itself, the root is missing, and results come back in float64"""
import torch


def adamw_step(parameters, gradients, state, lr, betas=(0.9, 0.95), eps=1e-8, weight_decay=0.1):
    b1, b2 = betas
    t = state.get("t", 0) + 1
    new_p, new_s = {}, {"t": t}
    for name, p in parameters.items():
        g = gradients[name].double()
        m, v = state.get(name, (torch.zeros_like(g), torch.zeros_like(g)))
        m, v = b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * g * g
        new_s[name] = m, v
        w = p.double()
        if p.dim() >= 2:
            w = w * (1 - lr * weight_decay)
        new_p[name] = w - lr * (m / (1 - b1 ** t)) / (v / (1 - b2 ** t) + eps)
    return new_p, new_s
