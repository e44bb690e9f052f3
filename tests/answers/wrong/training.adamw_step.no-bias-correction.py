"""CAUSE: forgotten: the raw moments are used, without dividing by 1 - beta^t, so the first steps have the wrong size"""
import torch


def adamw_step(parameters, gradients, state, lr, betas=(0.9, 0.95), eps=1e-8, weight_decay=0.1):
    b1, b2 = betas
    new_p, new_s = {}, {}
    for name, p in parameters.items():
        w = p.detach().double()
        g = gradients[name].detach().double()
        m, v = state.get(name, (torch.zeros_like(w), torch.zeros_like(w)))
        m = b1 * m + (1 - b1) * g
        v = b2 * v + (1 - b2) * g * g
        if p.dim() >= 2:
            w = w * (1 - lr * weight_decay)
        new_p[name] = (w - lr * m / (v.sqrt() + eps)).to(p.dtype)
        new_s[name] = (m, v)
    return new_p, new_s
