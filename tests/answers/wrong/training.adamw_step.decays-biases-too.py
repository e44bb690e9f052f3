"""CAUSE: misreading: weight decay is applied to every tensor, also to vectors such as biases and gains"""
import torch


def adamw_step(parameters, gradients, state, lr, betas=(0.9, 0.95), eps=1e-8, weight_decay=0.1):
    b1, b2 = betas
    out, new_state = {}, {}
    for name, p in parameters.items():
        t, m, v = state.get(name, (0, 0.0, 0.0))
        g = gradients[name].double()
        t += 1
        m = b1 * m + (1 - b1) * g
        v = b2 * v + (1 - b2) * g * g
        update = (m / (1 - b1 ** t)) / ((v / (1 - b2 ** t)).sqrt() + eps)
        out[name] = (p.double() * (1 - lr * weight_decay) - lr * update).to(p.dtype)
        new_state[name] = (t, m, v)
    return out, new_state
