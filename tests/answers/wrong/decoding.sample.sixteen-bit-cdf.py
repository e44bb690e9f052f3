"""CAUSE: precision: the cumulative sum is rounded to bfloat16, tokens of small mass disappear or are picked wrongly"""
import torch


def sample(probabilities, uniform):
    c = probabilities.cumsum(-1)
    above = (c > uniform[:, None] * c[:, -1:]) & (probabilities > 0)
    return above.int().argmax(-1)
