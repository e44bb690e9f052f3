"""CAUSE: state lost: the step number is never stored, so the bias correction of step 1 is applied for ever"""
import torch


def adamw_step(parameters, gradients, state, lr, betas=(0.9, 0.95), eps=1e-8, weight_decay=0.1):
    b1, b2 = betas
    t = state.get("step", 1)
    new_p, moments = {}, {}
    for name, p in parameters.items():
        g = gradients[name].double()
        m, v = state.get("moments", {}).get(name, (0 * g, 0 * g))
        m = b1 * m + (1 - b1) * g
        v = b2 * v + (1 - b2) * g * g
        w = p.double() * (1 - lr * weight_decay * (p.dim() >= 2))
        new_p[name] = (w - lr * m / (1 - b1 ** t) / ((v / (1 - b2 ** t)).sqrt() + eps)).to(p.dtype)
        moments[name] = (m, v)
    return new_p, {"moments": moments}
