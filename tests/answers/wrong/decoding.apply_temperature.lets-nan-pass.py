"""CAUSE: forgotten edge case: NaN < 0 is False, so a NaN temperature is not rejected"""
import torch
import torch.nn.functional as F


def apply_temperature(logits, temperature):
    if temperature < 0:
        raise ValueError("temperature < 0")
    if temperature == 0:
        hot = F.one_hot(logits.argmax(-1), logits.shape[-1]).bool()
        return torch.zeros_like(logits).masked_fill(~hot, -torch.inf)
    return logits / temperature
