"""CAUSE: misreading: temperature 0 is taken for "no temperature" and the logits come back unchanged"""
import math


def apply_temperature(logits, temperature):
    if math.isnan(temperature) or temperature < 0:
        raise ValueError("temperature must be a number >= 0")
    return logits / temperature if temperature else logits.clone()
