"""CAUSE: ReLU between the layers, as in the 2017 Transformer, not GELU"""
import torch

# shows: identity weights, zero biases, x = -1: 0 instead of -0.159


def feed_forward(x, weights):
    hidden = torch.relu(x @ weights["w_in"].T + weights["b_in"])
    return hidden @ weights["w_out"].T + weights["b_out"]
