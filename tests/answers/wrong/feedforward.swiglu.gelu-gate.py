"""CAUSE: GELU on the gate (GEGLU)"""
import torch.nn.functional as F

# shows: identity weights, x = 1: 0.841 instead of 0.731


def swiglu(x, weights):
    gate = F.gelu(F.linear(x, weights["w_gate"]), approximate="tanh")
    return F.linear(gate * F.linear(x, weights["w_up"]), weights["w_down"])
