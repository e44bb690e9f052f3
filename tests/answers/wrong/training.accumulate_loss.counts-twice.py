"""CAUSE: misreading: the sums are taken for means and multiplied by their counts again"""
import torch


def accumulate_loss(sums, counts):
    n = sum(counts)
    if n == 0:
        raise ValueError("nothing counts")
    total = 0.0
    for s, c in zip(sums, counts):
        total = total + s * c
    return total / n
