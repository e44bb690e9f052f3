"""CAUSE: uses the exact GELU, PyTorch's default, instead of the tanh one"""
import torch.nn.functional as F

# shows: differences of up to 5e-4 a hidden unit, visible in float64 and with large w_out


def feed_forward(x, weights):
    h = F.gelu(F.linear(x, weights["w_in"], weights["b_in"]))
    return F.linear(h, weights["w_out"], weights["b_out"])
