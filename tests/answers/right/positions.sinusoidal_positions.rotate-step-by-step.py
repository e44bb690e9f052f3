"""Gets each row from the previous one by turning every pair by its own fixed step (angle addition, in double)."""
import numpy as np
import torch


def sinusoidal_positions(n_positions, d_model, base=10000.0):
    if d_model % 2 != 0:
        raise ValueError("odd d_model")
    step = np.power(float(base), -np.arange(0, d_model, 2) / d_model)
    cos_step, sin_step = np.cos(step), np.sin(step)
    table = np.empty((n_positions, d_model // 2, 2))
    sin, cos = np.zeros_like(step), np.ones_like(step)
    for p in range(n_positions):
        table[p, :, 0], table[p, :, 1] = sin, cos
        sin, cos = sin * cos_step + cos * sin_step, cos * cos_step - sin * sin_step
    return torch.from_numpy(table.reshape(n_positions, d_model).astype(np.float32))
