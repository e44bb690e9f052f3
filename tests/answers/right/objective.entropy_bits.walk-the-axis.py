"""Accumulate surprise outcome by outcome along the axis, as the sum sign in the formula reads."""
import torch


def _term(p):
    possible = p.gt(0)
    surprise = -torch.log2(p.where(possible, 1.0))
    return (p * surprise).where(possible, 0.0)


def entropy_bits(probabilities, dim=-1):
    outcomes = probabilities.to(torch.float64).unbind(dim)
    total = _term(outcomes[0])
    for p in outcomes[1:]:
        total = total + _term(p)
    return total.to(probabilities.dtype)
