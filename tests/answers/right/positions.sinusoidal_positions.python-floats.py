"""Two nested loops over python floats, as the formula is printed in the paper."""
import math
import torch


def sinusoidal_positions(n_positions, d_model, base=10000.0):
    if d_model % 2 == 1:
        raise ValueError("sines and cosines come in pairs: d_model must be even")
    table = []
    for p in range(n_positions):
        row = []
        for column in range(d_model):
            angle = p / base ** ((column - column % 2) / d_model)
            row.append(math.cos(angle) if column % 2 else math.sin(angle))
        table.append(row)
    return torch.tensor(table, dtype=torch.float32)
