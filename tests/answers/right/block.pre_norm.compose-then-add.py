"""Folds the two callables over h and adds h to what comes out."""
from functools import reduce


def pre_norm(h, norm, sublayer):
    return h + reduce(lambda value, step: step(value), (norm, sublayer), h)
