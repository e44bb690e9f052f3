"""CAUSE: misreading: at 0 the others become -inf, but the maximum keeps its own value instead of 0"""
import torch


def apply_temperature(logits, temperature):
    if not temperature >= 0:
        raise ValueError("temperature must be >= 0")
    if temperature:
        return logits / temperature
    index = logits.argmax(dim=-1, keepdim=True)
    result = torch.full_like(logits, -torch.inf)
    result.scatter_(-1, index, logits.gather(-1, index))
    return result
