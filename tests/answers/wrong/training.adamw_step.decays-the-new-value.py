"""CAUSE: wrong order: the decay is taken from the parameter after the Adam update, not from the old value"""
import torch


def adamw_step(parameters, gradients, state, lr, betas=(0.9, 0.95), eps=1e-8, weight_decay=0.1):
    b1, b2 = betas
    t = state.get("t", 0) + 1
    new_state = {"t": t}
    new_parameters = {}
    for name, p in parameters.items():
        g = gradients[name].detach().double()
        m, v = state.get(name, (torch.zeros_like(g), torch.zeros_like(g)))
        m = m * b1 + g * (1 - b1)
        v = v * b2 + g ** 2 * (1 - b2)
        w = p.detach().double() - lr * (m / (1 - b1 ** t)) / ((v / (1 - b2 ** t)) ** 0.5 + eps)
        if w.dim() >= 2:
            w = w * (1 - lr * weight_decay)
        new_parameters[name] = w.to(p.dtype)
        new_state[name] = (m, v)
    return new_parameters, new_state
