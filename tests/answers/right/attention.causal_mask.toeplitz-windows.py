"""Each row is the row below shifted by one, so all rows are windows of a single long vector."""
import torch


def causal_mask(n_queries, n_keys):
    if n_queries > n_keys:
        raise ValueError("Tq must not exceed Tk")
    strip = torch.zeros(n_queries + n_keys - 1, dtype=torch.bool)
    strip[:n_keys] = True
    return strip.unfold(0, n_keys, 1).flip(0)
