"""Takes the logarithm of the gate, -log(1 + exp(-x)), by logaddexp and exponentiates it."""
import torch


def silu(x):
    z = x.to(torch.promote_types(x.dtype, torch.float32))
    log_gate = -torch.logaddexp(torch.zeros_like(z), -z)
    return (z * log_gate.exp()).to(x.dtype)
