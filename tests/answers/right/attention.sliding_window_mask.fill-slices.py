"""Start with all False and switch on one slice a row."""
import torch


def sliding_window_mask(n_queries, n_keys, window):
    if n_queries > n_keys:
        raise ValueError("Tq > Tk")
    if window <= 0:
        raise ValueError("an empty window lets nobody attend")
    mask = torch.zeros(n_queries, n_keys).bool()
    for i, row in enumerate(mask):
        stop = i + n_keys - n_queries + 1
        row[max(0, stop - window):stop] = True
    return mask
