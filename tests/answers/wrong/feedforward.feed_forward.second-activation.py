"""CAUSE: applies the activation after the output layer too"""
import torch.nn.functional as F
from .feedforward import gelu_tanh

# shows: outputs never go below -0.17


def feed_forward(x, weights):
    for name in ("in", "out"):
        x = gelu_tanh(F.linear(x, weights["w_" + name], weights["b_" + name]))
    return x
