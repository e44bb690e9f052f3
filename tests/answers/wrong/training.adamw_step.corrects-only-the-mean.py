"""CAUSE: half forgotten: the first moment is bias-corrected, the second is not"""
import torch


def adamw_step(parameters, gradients, state, lr, betas=(0.9, 0.95), eps=1e-8, weight_decay=0.1):
    t = state.get("t", 0) + 1
    ms, vs, ps = {}, {}, {}
    for k in parameters:
        p, g = parameters[k].double(), gradients[k].double()
        ms[k] = betas[0] * state["m"][k] + (1 - betas[0]) * g if t > 1 else (1 - betas[0]) * g
        vs[k] = betas[1] * state["v"][k] + (1 - betas[1]) * g ** 2 if t > 1 else (1 - betas[1]) * g ** 2
        decay = weight_decay if p.ndim > 1 else 0.0
        m_hat = ms[k] / (1 - betas[0] ** t)
        ps[k] = (p - lr * decay * p - lr * m_hat / (vs[k].sqrt() + eps)).to(parameters[k].dtype)
    return ps, {"t": t, "m": ms, "v": vs}
