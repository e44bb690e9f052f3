"""CAUSE: mutated argument: div_ changes the caller's logits"""
import torch


def apply_temperature(logits, temperature):
    if not temperature >= 0:
        raise ValueError("temperature must be >= 0")
    if temperature == 0:
        return torch.full_like(logits, -torch.inf).scatter(-1, logits.argmax(-1, keepdim=True), 0.0)
    return logits.div_(temperature)
