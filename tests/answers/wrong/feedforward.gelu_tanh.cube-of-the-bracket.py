"""CAUSE: cubes the whole sum x + 0.044715 x and not only x in the second term"""
import torch

# shows: x = 0.5 gives 0.278 instead of 0.346; near 1 it looks close


def gelu_tanh(x):
    c = 0.7978845608028654
    return x / 2 * (1 + (c * (x + 0.044715 * x) ** 3).tanh())
