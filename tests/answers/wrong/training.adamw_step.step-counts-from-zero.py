"""CAUSE: off by one: the counter is raised after the update, so the first correction divides by 1 - beta^0 = 0 and gives NaN"""
import torch


def adamw_step(parameters, gradients, state, lr, betas=(0.9, 0.95), eps=1e-8, weight_decay=0.1):
    b1, b2 = betas
    new_p, new_s = {}, {"step": torch.as_tensor(state.get("step", 0.0)) + 1.0}
    t = torch.as_tensor(state.get("step", 0.0)).double()
    for name, p in parameters.items():
        g = gradients[name].double()
        m, v = state.get(name, (torch.zeros_like(g), torch.zeros_like(g)))
        m = b1 * m + (1 - b1) * g
        v = b2 * v + (1 - b2) * g.pow(2)
        m_hat, v_hat = m / (1 - b1 ** t), v / (1 - b2 ** t)
        w = p.double()
        if p.dim() >= 2:
            w = (1 - lr * weight_decay) * w
        new_p[name] = (w - lr * m_hat / (v_hat.sqrt() + eps)).to(p.dtype)
        new_s[name] = (m, v)
    return new_p, new_s
