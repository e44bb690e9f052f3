"""CAUSE: keeps the dropout of the training code, and F.dropout is on by default"""
import torch.nn.functional as F
from .feedforward import gelu_tanh

# shows: two calls on the same x give different answers


def feed_forward(x, weights):
    x = F.linear(x, weights["w_in"], weights["b_in"])
    x = gelu_tanh(x)
    x = F.linear(x, weights["w_out"], weights["b_out"])
    x = F.dropout(x, p=0.1)
    return x
