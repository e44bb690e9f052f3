"""CAUSE: off by one in the divisor: the summed loss is divided by B*T, but only B*(T-1) targets exist"""
import torch
from .objective import shift_targets


def sequence_loss(logits, tokens):
    _, targets = shift_targets(tokens)
    if targets.numel() == 0:
        raise ValueError("no target counts")
    lg = logits[:, :-1].double()
    logp = lg - torch.logsumexp(lg, dim=-1, keepdim=True)
    nll = -logp.gather(-1, targets.unsqueeze(-1)).squeeze(-1)
    return (nll.sum() / tokens.numel()).to(logits.dtype)
