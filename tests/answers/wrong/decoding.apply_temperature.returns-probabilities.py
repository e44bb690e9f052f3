"""CAUSE: misreading: a softmax is applied at the end, what comes back are probabilities, not logits"""
import torch


def apply_temperature(logits, temperature):
    if not temperature >= 0:
        raise ValueError("temperature must be >= 0")
    if temperature == 0:
        scaled = torch.full_like(logits, -torch.inf).scatter(-1, logits.argmax(-1, keepdim=True), 0.0)
    else:
        scaled = logits / temperature
    return torch.softmax(scaled, dim=-1)
