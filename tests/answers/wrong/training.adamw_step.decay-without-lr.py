"""CAUSE: formula: weights shrink by weight_decay itself, the factor lr is missing"""
import torch


def adamw_step(parameters, gradients, state, lr, betas=(0.9, 0.95), eps=1e-8, weight_decay=0.1):
    b1, b2 = betas
    t = state.get("t", 0) + 1
    M, Vv, P = {}, {}, {}
    zero = torch.zeros(())
    for n, p in parameters.items():
        g = gradients[n].double()
        M[n] = state.get("m", {}).get(n, zero) * b1 + g * (1 - b1)
        Vv[n] = state.get("v", {}).get(n, zero) * b2 + g * g * (1 - b2)
        w = p.double()
        if w.ndim >= 2:
            w = w * (1 - weight_decay)
        P[n] = (w - lr * (M[n] / (1 - b1 ** t)) / (torch.sqrt(Vv[n] / (1 - b2 ** t)) + eps)).to(p.dtype)
    return P, {"t": t, "m": M, "v": Vv}
