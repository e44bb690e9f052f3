"""CAUSE: uses the column number in the exponent, so a cosine column has another frequency than its sine"""
import numpy as np
import torch

# shows: sinusoidal_positions(2, 2)[1, 1] should be cos(1), is cos(1 / 100)


def sinusoidal_positions(n_positions, d_model, base=10000.0):
    if d_model % 2 != 0:
        raise ValueError("d_model has to be even")
    p = np.arange(n_positions)[:, None]
    j = np.arange(d_model)[None, :]
    theta = p / np.power(base, j / d_model)
    table = np.where(j % 2 == 0, np.sin(theta), np.cos(theta))
    return torch.tensor(table, dtype=torch.float32)
