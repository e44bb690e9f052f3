"""Compares an arange with the argmax; nothing is scattered."""
import math
import torch


def apply_temperature(logits, temperature):
    if math.isnan(temperature) or temperature < 0:
        raise ValueError(f"temperature must be a number >= 0, got {temperature}")
    if temperature > 0:
        return torch.div(logits, temperature)
    ids = torch.arange(logits.shape[-1], device=logits.device)
    first = logits.argmax(dim=-1, keepdim=True)
    return torch.where(ids == first, torch.zeros_like(logits), torch.full_like(logits, -torch.inf))
