"""CAUSE: forbidden: the work is done by torch.optim.AdamW kept inside the state"""
import copy

import torch


def adamw_step(parameters, gradients, state, lr, betas=(0.9, 0.95), eps=1e-8, weight_decay=0.1):
    leaves = {k: torch.nn.Parameter(p.detach().clone()) for k, p in parameters.items()}
    mats = [q for q in leaves.values() if q.dim() >= 2]
    rest = [q for q in leaves.values() if q.dim() < 2]
    opt = torch.optim.AdamW([{"params": mats, "weight_decay": weight_decay}, {"params": rest, "weight_decay": 0.0}], lr=lr, betas=betas, eps=eps)
    if state:
        opt.load_state_dict(copy.deepcopy(state["opt"]))
        for group in opt.param_groups:
            group["lr"] = lr
    for k, q in leaves.items():
        q.grad = gradients[k].detach().clone()
    opt.step()
    return {k: q.detach() for k, q in leaves.items()}, {"opt": opt.state_dict()}
