"""One sort by (class, -score, index) in plain Python."""
import torch


def retain(scores, budget, n_sink=0, n_recent=0):
    if n_sink + n_recent > budget:
        raise ValueError(f"n_sink + n_recent = {n_sink + n_recent} exceeds the budget {budget}")
    values = scores.tolist()
    T = len(values)

    def rank(i):
        forced = i < n_sink or i >= T - n_recent
        return (0 if forced else 1, -values[i], i)

    return torch.tensor(sorted(sorted(range(T), key=rank)[:budget]), dtype=torch.int64)
