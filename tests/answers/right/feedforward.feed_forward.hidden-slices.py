"""Cuts the hidden units into slices and sums what each slice writes back, so the wide layer never exists whole."""
import torch
from .feedforward import gelu_tanh


def feed_forward(x, weights, slice_width=5):
    work = torch.promote_types(x.dtype, torch.float32)
    flat = x.to(work).reshape(-1, x.shape[-1]) if x.numel() else x.to(work)
    total = weights["b_out"].to(work)
    for start in range(0, weights["w_in"].shape[0], slice_width):
        stop = start + slice_width
        units = flat @ weights["w_in"][start:stop].to(work).T + weights["b_in"][start:stop].to(work)
        total = total + gelu_tanh(units) @ weights["w_out"][:, start:stop].to(work).T
    return total.reshape(*x.shape[:-1], weights["w_out"].shape[0]).to(x.dtype)
