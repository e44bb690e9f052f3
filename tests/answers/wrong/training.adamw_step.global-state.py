"""CAUSE: shared state: moments live in a module-level dict and the state argument is ignored, so two runs contaminate each other"""
import torch

_STATE = {}


def adamw_step(parameters, gradients, state, lr, betas=(0.9, 0.95), eps=1e-8, weight_decay=0.1):
    b1, b2 = betas
    result = {}
    for name, p in parameters.items():
        g = gradients[name].double()
        t, m, v = _STATE.get((name, p.shape), (0, torch.zeros_like(g), torch.zeros_like(g)))
        t += 1
        m = b1 * m + (1 - b1) * g
        v = b2 * v + (1 - b2) * g * g
        _STATE[(name, p.shape)] = (t, m, v)
        w = p.double() * (1 - lr * weight_decay) if p.dim() >= 2 else p.double()
        result[name] = (w - lr * (m / (1 - b1 ** t)) / ((v / (1 - b2 ** t)).sqrt() + eps)).to(p.dtype)
    return result, _STATE
