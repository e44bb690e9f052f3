"""CAUSE: wrong axis: argmax without an axis finds one maximum in the whole tensor, so all other rows are -inf everywhere"""
import torch


def apply_temperature(logits, temperature):
    if temperature < 0 or temperature != temperature:
        raise ValueError("temperature must be >= 0")
    if temperature == 0:
        out = torch.full_like(logits, float("-inf"))
        if logits.numel():
            out.view(-1)[logits.argmax()] = 0.0
        return out
    return logits / temperature
