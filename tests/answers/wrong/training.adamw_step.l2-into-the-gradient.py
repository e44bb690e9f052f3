"""CAUSE: misreading: weight decay is added to the gradient (Adam with L2), so it is divided by the second moment; not decoupled"""
import torch


def adamw_step(parameters, gradients, state, lr, betas=(0.9, 0.95), eps=1e-8, weight_decay=0.1):
    beta1, beta2 = betas
    step = state.get("step", 0) + 1
    m, v = dict(state.get("m", {})), dict(state.get("v", {}))
    new = {}
    for name, param in parameters.items():
        p = param.detach().to(torch.float64)
        g = gradients[name].detach().to(torch.float64)
        if p.ndim >= 2:
            g = g + weight_decay * p
        m[name] = beta1 * m.get(name, 0.0) + (1 - beta1) * g
        v[name] = beta2 * v.get(name, 0.0) + (1 - beta2) * g.square()
        m_hat = m[name] / (1 - beta1 ** step)
        v_hat = v[name] / (1 - beta2 ** step)
        new[name] = (p - lr * m_hat / (v_hat.sqrt() + eps)).to(param.dtype)
    return new, {"step": step, "m": m, "v": v}
