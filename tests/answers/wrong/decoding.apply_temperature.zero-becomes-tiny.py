"""CAUSE: misreading: 0 is replaced by 1e-6, which gives huge logits, not 0 and -inf"""
def apply_temperature(logits, temperature):
    if not temperature >= 0:
        raise ValueError(f"bad temperature {temperature}")
    return logits / max(temperature, 1e-6)
