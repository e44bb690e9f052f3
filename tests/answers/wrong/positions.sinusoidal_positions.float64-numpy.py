"""CAUSE: returns the float64 array of NumPy without casting to float32"""
import numpy as np
import torch

# shows: sinusoidal_positions(3, 4).dtype is torch.float64


def sinusoidal_positions(n_positions, d_model, base=10000.0):
    if d_model % 2:
        raise ValueError("d_model is odd")
    rates = base ** (-np.arange(0, d_model, 2) / d_model)
    a = np.arange(n_positions)[:, np.newaxis] * rates
    out = np.empty((n_positions, d_model))
    out[:, ::2], out[:, 1::2] = np.sin(a), np.cos(a)
    return torch.from_numpy(out)
