"""The first maximum by a cumulative count of the maxima."""
import torch


def apply_temperature(logits, temperature):
    if not temperature >= 0:
        raise ValueError("apply_temperature: temperature is negative or NaN")
    if temperature == 0:
        is_max = logits == logits.amax(-1, keepdim=True)
        first = is_max & (is_max.long().cumsum(-1) == 1)
        return torch.zeros_like(logits).masked_fill_(~first, -torch.inf)
    wide = logits.to(torch.float64)
    return (wide / temperature).to(logits.dtype)
