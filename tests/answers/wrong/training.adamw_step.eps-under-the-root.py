"""CAUSE: formula: eps is added to v before the root instead of to the root"""
import torch


def adamw_step(parameters, gradients, state, lr, betas=(0.9, 0.95), eps=1e-8, weight_decay=0.1):
    b1, b2 = betas
    res, st = {}, {}
    for name, p in parameters.items():
        t, m, v = state.get(name, (0, None, None))
        g = gradients[name].double()
        t = t + 1
        m = (1 - b1) * g if m is None else b1 * m + (1 - b1) * g
        v = (1 - b2) * g * g if v is None else b2 * v + (1 - b2) * g * g
        w = p.double()
        if w.dim() >= 2:
            w = w - lr * weight_decay * w
        res[name] = (w - lr * (m / (1 - b1 ** t)) / torch.sqrt(v / (1 - b2 ** t) + eps)).to(p.dtype)
        st[name] = (t, m, v)
    return res, st
