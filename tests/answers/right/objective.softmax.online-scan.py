"""The one-pass algorithm: walk along the axis with a running maximum and a running sum that is rescaled."""
import torch


def softmax(logits, dim=-1):
    x = logits.to(torch.float64).movedim(dim, 0)
    with torch.no_grad():
        running = torch.full_like(x[0], -float("inf"))
    total = torch.zeros_like(x[0])
    for row in x:
        new = torch.maximum(running, row.detach())
        base = torch.where(new.isinf(), torch.zeros_like(new), new)   # nothing finite seen so far
        total = total * torch.exp(running - base) + torch.exp(row - base)
        running = new
    base = torch.where(running.isinf(), torch.zeros_like(running), running)
    empty = total == 0
    p = torch.exp(x - base) / total.masked_fill(empty, 1.0)
    return p.movedim(0, dim).to(logits.dtype)
