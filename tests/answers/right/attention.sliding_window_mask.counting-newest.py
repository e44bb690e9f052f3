"""Walk back from the newest visible key: count visible keys from the right and keep the first `window` of them."""
import torch


def sliding_window_mask(n_queries, n_keys, window):
    if window < 1:
        raise ValueError("window has to be positive")
    if n_queries > n_keys:
        raise ValueError("n_queries is larger than n_keys")
    visible = torch.ones(n_queries, n_keys, dtype=torch.long).tril(n_keys - n_queries)
    rank = visible.flip(-1).cumsum(-1).flip(-1)       # 1 for the newest
    return visible.bool() & (rank <= window)
