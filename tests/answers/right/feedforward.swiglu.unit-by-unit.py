"""Sums over the hidden units: each one has a gate number, an up number and a direction it writes."""
import torch
from .feedforward import silu


def swiglu(x, weights):
    work = torch.promote_types(x.dtype, torch.float32)
    source = x.to(work)
    down = weights["w_down"].to(work)
    out = source.new_zeros(*x.shape[:-1], down.shape[0])
    for unit, (g, u) in enumerate(zip(weights["w_gate"].to(work), weights["w_up"].to(work))):
        strength = silu((source * g).sum(-1)) * (source * u).sum(-1)
        out = out + strength.unsqueeze(-1) * down[:, unit]
    return out.to(x.dtype)
