"""CAUSE: two mistakes: at 0 it gives a one-hot of 1 and 0 (probabilities, not logits), and in float32 whatever came in"""
import torch.nn.functional as F


def apply_temperature(logits, temperature):
    if not temperature >= 0:
        raise ValueError("temperature must be >= 0")
    if temperature == 0:
        return F.one_hot(logits.argmax(-1), logits.size(-1)).float()
    return logits / temperature
