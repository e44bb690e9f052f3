"""CAUSE: the loop variable already steps by 2 and is doubled again, so the exponent is 4i/D"""
import math
import torch

# shows: sinusoidal_positions(3, 4)[1, 2] should be sin(0.01), is sin(0.0001); D=2 is right


def sinusoidal_positions(n_positions, d_model, base=10000.0):
    if d_model % 2:
        raise ValueError("odd d_model")
    pe = torch.zeros(n_positions, d_model)
    for pos in range(n_positions):
        for i in range(0, d_model, 2):
            pe[pos, i] = math.sin(pos / (base ** ((2 * i) / d_model)))
            pe[pos, i + 1] = math.cos(pos / (base ** ((2 * i) / d_model)))
    return pe
