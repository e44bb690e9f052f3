"""Sums the masses in their own dtype."""
import torch


def sample(probabilities, uniform):
    c = probabilities.cumsum(-1)
    above = (c > uniform[:, None] * c[:, -1:]) & (probabilities > 0)
    return above.int().argmax(-1)
