"""Multiplies by penalty to the power of -sign, scattered back."""
import torch


def repetition_penalty(logits, tokens, penalty):
    if penalty <= 0:
        raise ValueError("penalty has to be positive")
    at = logits.gather(-1, tokens)
    factor = torch.full_like(at, float(penalty), dtype=torch.float64).pow(-torch.sign(at.double()))
    return logits.scatter(-1, tokens, (at.double() * factor).to(logits.dtype))
