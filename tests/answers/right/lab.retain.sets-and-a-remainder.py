"""Sets of forced places, the remainder filled by score; sinks and recent can overlap only when they cover everything."""
import torch


def retain(scores, budget, n_sink=0, n_recent=0):
    if n_sink + n_recent > budget:
        raise ValueError("n_sink + n_recent > budget")
    T = len(scores)
    forced = set(range(T)[:n_sink]) | set(range(T)[T - n_recent if n_recent < T else 0:])
    by_score = sorted((i for i in range(T) if i not in forced), key=lambda i: (-float(scores[i]), i))
    chosen = forced | set(by_score[: budget - n_sink - n_recent])
    return torch.tensor(sorted(chosen), dtype=torch.int64)
