"""The state is a tuple (t, means, squares); in place only on own copies."""
import torch


def adamw_step(parameters, gradients, state, lr, betas=(0.9, 0.95), eps=1e-8, weight_decay=0.1):
    t, means, squares = state if state else (0, {}, {})
    t, means, squares = t + 1, dict(means), dict(squares)
    c1, c2 = 1 - betas[0] ** t, 1 - betas[1] ** t
    result = {}
    for name, p in parameters.items():
        wide = torch.float64 if p.dtype == torch.float64 else torch.float32
        g = gradients[name].detach().to(wide)
        m = means[name].clone() if name in means else torch.zeros_like(g)
        s = squares[name].clone() if name in squares else torch.zeros_like(g)
        m.mul_(betas[0]).add_(g, alpha=1 - betas[0])
        s.mul_(betas[1]).addcmul_(g, g, value=1 - betas[1])
        means[name], squares[name] = m, s
        w = p.detach().to(wide, copy=True)
        if w.dim() > 1:
            w.mul_(1 - lr * weight_decay)
        w.addcdiv_(m / c1, (s / c2).sqrt_().add_(eps), value=-lr)
        result[name] = w.to(p.dtype)
    return result, (t, means, squares)
