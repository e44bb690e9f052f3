"""The edge from a full sort."""
import torch


def top_k(logits, k):
    if k < 1:
        raise ValueError(f"top_k needs k >= 1, got {k}")
    size = logits.shape[-1]
    ascending = torch.sort(logits, dim=-1).values
    edge = ascending[..., max(size - k, 0)].unsqueeze(-1)
    kept = logits.clone()
    kept[logits < edge] = -torch.inf
    return kept
