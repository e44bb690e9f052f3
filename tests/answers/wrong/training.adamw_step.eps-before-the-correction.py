"""CAUSE: formula: eps is added to the root of the raw second moment and the bias correction multiplied on afterwards"""
import math
import torch


def adamw_step(parameters, gradients, state, lr, betas=(0.9, 0.95), eps=1e-8, weight_decay=0.1):
    b1, b2 = betas
    t = state.get("t", 0) + 1
    alpha = lr * math.sqrt(1 - b2 ** t) / (1 - b1 ** t)
    m_all, v_all, p_all = {}, {}, {}
    for name in parameters:
        p = parameters[name].double()
        g = gradients[name].double()
        m = b1 * state["m"][name] + (1 - b1) * g if "m" in state else (1 - b1) * g
        v = b2 * state["v"][name] + (1 - b2) * g * g if "v" in state else (1 - b2) * g * g
        keep = 1 - lr * weight_decay if p.dim() >= 2 else 1.0
        p_all[name] = (p * keep - alpha * m / (v.sqrt() + eps)).to(parameters[name].dtype)
        m_all[name], v_all[name] = m, v
    return p_all, {"t": t, "m": m_all, "v": v_all}
