"""CAUSE: shared state: one step counter is raised inside the loop over parameters, so it runs too fast when there are several tensors"""
import torch


def adamw_step(parameters, gradients, state, lr, betas=(0.9, 0.95), eps=1e-8, weight_decay=0.1):
    b1, b2 = betas
    step = state.get("step", 0)
    new_state = {}
    new_parameters = {}
    for name, p in parameters.items():
        step += 1
        g = gradients[name].double()
        m, v = state.get(name, (torch.zeros_like(g), torch.zeros_like(g)))
        m, v = b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * g * g
        w = p.double()
        if w.dim() >= 2:
            w = w * (1 - lr * weight_decay)
        w = w - lr * (m / (1 - b1 ** step)) / ((v / (1 - b2 ** step)).sqrt() + eps)
        new_parameters[name], new_state[name] = w.to(p.dtype), (m, v)
    new_state["step"] = step
    return new_parameters, new_state
