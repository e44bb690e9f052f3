"""Lays one ruler ..., -2, -1, 0, -inf, -inf, ... and cuts a shifted window from it for each query."""
import torch
from .positions import alibi_slopes


def alibi_bias(n_heads, n_queries, n_keys):
    if n_queries > n_keys:
        raise ValueError("Tq > Tk")
    behind = torch.arange(1 - n_keys, 1, dtype=torch.float32)
    ahead = torch.full((n_queries - 1,), -torch.inf)
    ruler = torch.cat([behind, ahead])
    # the last query starts at the left end, the one before it one further right
    table = ruler.unfold(0, n_keys, 1).flip(0)
    return torch.einsum("h,qk->hqk", alibi_slopes(n_heads), table)
