"""CAUSE: adds gate and up instead of multiplying them"""
import torch
import torch.nn.functional as F

# shows: identity weights, x = -1: -0.269 - 1 instead of 0.269


def swiglu(x, weights):
    gate, up = torch.stack([x @ weights["w_gate"].T, x @ weights["w_up"].T]).unbind(0)
    return (F.silu(gate) + up) @ weights["w_down"].T
