"""CAUSE: misreading: 0 is treated as invalid because one may not divide by it"""
def apply_temperature(logits, temperature):
    if not temperature > 0:
        raise ValueError("temperature must be positive")
    return logits / temperature
