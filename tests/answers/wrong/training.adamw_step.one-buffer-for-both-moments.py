"""CAUSE: shared state: m and v are created as the same tensor and updated in place, so each overwrites the other"""
import torch


def adamw_step(parameters, gradients, state, lr, betas=(0.9, 0.95), eps=1e-8, weight_decay=0.1):
    b1, b2 = betas
    t = state.get("t", 0) + 1
    new_state, new_parameters = {"t": t}, {}
    for name, p in parameters.items():
        g = gradients[name].double()
        if name in state:
            m, v = (x.clone() for x in state[name])
        else:
            m = v = torch.zeros_like(g)
        m.mul_(b1).add_((1 - b1) * g)
        v.mul_(b2).add_((1 - b2) * g * g)
        w = p.double()
        if p.dim() >= 2:
            w = w * (1 - lr * weight_decay)
        new_parameters[name] = (w - lr * (m / (1 - b1 ** t)) / ((v.abs() / (1 - b2 ** t)).sqrt() + eps)).to(p.dtype)
        new_state[name] = (m, v)
    return new_parameters, new_state
