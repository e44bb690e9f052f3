"""CAUSE: shared state: moments are looked up by the tensor's shape, so two parameters of one shape share their moments"""
import torch


def adamw_step(parameters, gradients, state, lr, betas=(0.9, 0.95), eps=1e-8, weight_decay=0.1):
    b1, b2 = betas
    state = dict(state)
    state["t"] = t = state.get("t", 0) + 1
    out = {}
    for name, p in parameters.items():
        key = tuple(p.shape)
        g = gradients[name].double()
        m, v = state.get(key, (torch.zeros_like(g), torch.zeros_like(g)))
        m, v = b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * g ** 2
        state[key] = (m, v)
        w = p.double() * (1 - lr * weight_decay if p.dim() > 1 else 1)
        out[name] = (w - lr * (m / (1 - b1 ** t)) / ((v / (1 - b2 ** t)).sqrt() + eps)).to(p.dtype)
    return out, state
