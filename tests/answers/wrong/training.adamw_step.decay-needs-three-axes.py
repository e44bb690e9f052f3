"""CAUSE: off by one: the test is dim() > 2, so ordinary weight matrices are never decayed"""
import torch


def adamw_step(parameters, gradients, state, lr, betas=(0.9, 0.95), eps=1e-8, weight_decay=0.1):
    b1, b2 = betas
    out, new_state = {}, {}
    for name, p in parameters.items():
        old = state.get(name, {"t": 0, "m": torch.zeros_like(p, dtype=torch.float64), "v": torch.zeros_like(p, dtype=torch.float64)})
        g = gradients[name].double()
        t = old["t"] + 1
        m = torch.lerp(old["m"], g, 1 - b1)
        v = torch.lerp(old["v"], g * g, 1 - b2)
        w = p.double()
        if p.dim() > 2:
            w = w - lr * weight_decay * w
        w = w - lr * (m / (1 - b1 ** t)) / ((v / (1 - b2 ** t)).sqrt() + eps)
        out[name] = w.to(p.dtype)
        new_state[name] = {"t": t, "m": m, "v": v}
    return out, new_state
