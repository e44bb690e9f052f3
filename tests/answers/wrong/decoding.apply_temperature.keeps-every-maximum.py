"""CAUSE: ties: at temperature 0 all places equal to the maximum are kept, not the first one only"""
import torch


def apply_temperature(logits, temperature):
    if not (temperature >= 0):
        raise ValueError("temperature must be >= 0")
    if temperature > 0:
        return logits / temperature
    top = logits.amax(-1, keepdim=True)
    return torch.where(logits == top, 0.0, -torch.inf).to(logits.dtype)
