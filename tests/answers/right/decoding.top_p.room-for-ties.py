"""Sorts values only: keeps what lies above the edge, then as many of the equal ones as there is room, by index."""
import torch


def top_p(logits, p):
    if not 0 < p <= 1:
        raise ValueError("p must be in (0, 1]")
    if p == 1:
        return logits.clone()
    z = logits.double()
    ranked = z.sort(dim=-1, descending=True).values
    mass = torch.softmax(ranked, dim=-1).cumsum(dim=-1)
    n = 1 + (mass[..., :-1] < p).sum(dim=-1, keepdim=True)
    edge = ranked.gather(-1, n - 1)
    above, level = z > edge, z == edge
    room = n - above.sum(dim=-1, keepdim=True)
    keep = above | (level & (level.long().cumsum(dim=-1) <= room))
    return logits.masked_fill(~keep, -torch.inf)
