"""A token stays when fewer than k are strictly greater, counted by a search in the sorted row."""
import torch


def top_k(logits, k):
    if k < 1:
        raise ValueError("k must be at least 1")
    wide = logits.double().contiguous()
    ladder = wide.sort(dim=-1).values
    not_greater = torch.searchsorted(ladder, wide, right=True)
    greater = logits.shape[-1] - not_greater
    return torch.where(greater < k, logits, torch.full_like(logits, float("-inf")))
