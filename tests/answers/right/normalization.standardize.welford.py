"""Welford's running mean and running sum of squares, one feature at a time, in double."""
import torch


def standardize(x, eps=1e-5):
    h = x.double()
    mean = torch.zeros_like(h[..., 0])
    m2 = torch.zeros_like(mean)
    for n, value in enumerate(h.unbind(-1), start=1):
        delta = value - mean
        mean = mean + delta / n
        m2 = m2 + delta * (value - mean)
    variance = m2 / h.shape[-1]
    return ((h - mean[..., None]) / (variance[..., None] + eps).sqrt()).to(x.dtype)
