"""Two nested list comprehensions straight from the definition."""
import torch


def causal_mask(n_queries, n_keys):
    offset = n_keys - n_queries
    if offset < 0:
        raise ValueError("Tq > Tk")
    rows = [[j <= i + offset for j in range(n_keys)] for i in range(n_queries)]
    return torch.tensor(rows, dtype=torch.bool).reshape(n_queries, n_keys)
