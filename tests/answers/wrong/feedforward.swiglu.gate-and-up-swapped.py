"""CAUSE: silu on the up projection, the gate stays linear"""
import torch

# shows: w_gate = w_down = identity, w_up = -identity, x = 1: -0.269 instead of -0.731


def swiglu(x, weights):
    gate = x @ weights["w_gate"].T
    up = x @ weights["w_up"].T
    return (gate * (up * torch.sigmoid(up))) @ weights["w_down"].T
