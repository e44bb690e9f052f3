"""CAUSE: mutated argument: the parameters passed in are changed in place, as an optimizer object would do"""
import torch


@torch.no_grad()
def adamw_step(parameters, gradients, state, lr, betas=(0.9, 0.95), eps=1e-8, weight_decay=0.1):
    b1, b2 = betas
    new_state = {}
    for name, p in parameters.items():
        t, m, v = state.get(name, (0, torch.zeros_like(p, dtype=torch.float64), torch.zeros_like(p, dtype=torch.float64)))
        g = gradients[name].double()
        t, m, v = t + 1, b1 * m + (1 - b1) * g, b2 * v + (1 - b2) * g * g
        if p.dim() >= 2:
            p.mul_(1 - lr * weight_decay)
        p.sub_((lr * (m / (1 - b1 ** t)) / ((v / (1 - b2 ** t)).sqrt() + eps)).to(p.dtype))
        new_state[name] = (t, m, v)
    return parameters, new_state
