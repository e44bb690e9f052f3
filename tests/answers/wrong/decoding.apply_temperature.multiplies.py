"""CAUSE: formula: the logits are multiplied by the temperature, so hot and cold are swapped"""
import torch


def apply_temperature(logits, temperature):
    if not temperature >= 0:
        raise ValueError("temperature must be >= 0")
    if temperature == 0:
        best = logits.argmax(-1, keepdim=True)
        return torch.full_like(logits, -torch.inf).scatter_(-1, best, 0.0)
    return logits * temperature
