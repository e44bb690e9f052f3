"""Index the table with the whole token tensor after looking at its smallest and largest id."""
import torch


def embed(tokens, table):
    if tokens.numel():
        low, high = torch.aminmax(tokens)
        if low < 0 or high >= table.shape[0]:
            raise ValueError(f"token ids {int(low)}..{int(high)} do not fit a table of {table.shape[0]} rows")
    return table[tokens]
