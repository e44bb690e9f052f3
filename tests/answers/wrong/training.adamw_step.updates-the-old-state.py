"""CAUSE: mutated argument: the moments are updated in place, so the state that was passed in changes too and a replay differs"""
import torch


def adamw_step(parameters, gradients, state, lr, betas=(0.9, 0.95), eps=1e-8, weight_decay=0.1):
    b1, b2 = betas
    new_state = {"t": state.get("t", 0) + 1, "m": dict(state.get("m", {})), "v": dict(state.get("v", {}))}
    t = new_state["t"]
    out = {}
    for k, p in parameters.items():
        g = gradients[k].double()
        m = new_state["m"].setdefault(k, torch.zeros_like(g))
        v = new_state["v"].setdefault(k, torch.zeros_like(g))
        m.mul_(b1).add_(g, alpha=1 - b1)
        v.mul_(b2).addcmul_(g, g, value=1 - b2)
        w = p.double()
        if p.dim() >= 2:
            w = w * (1 - lr * weight_decay)
        out[k] = (w - lr * (m / (1 - b1 ** t)) / ((v / (1 - b2 ** t)).sqrt() + eps)).to(p.dtype)
    return out, new_state
