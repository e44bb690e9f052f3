"""Query head j reads kv head j // n, so it indexes with exactly that."""
import torch


def repeat_kv(x, n_repeats):
    if n_repeats < 1:
        raise ValueError(f"n_repeats must be at least 1, not {n_repeats}")
    serving = torch.arange(x.shape[1] * n_repeats, device=x.device) // n_repeats
    return x.index_select(1, serving)
