"""Score the vocabulary in slices of 64 rows (as one would to save memory) and join the logits."""
import torch


def unembed(hidden, table, *, rows_at_once=64):
    pieces = [torch.matmul(hidden, part.mT) for part in table.split(rows_at_once, dim=0)]
    return torch.cat(pieces, dim=-1)
