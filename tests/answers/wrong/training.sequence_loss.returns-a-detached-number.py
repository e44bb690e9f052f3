"""CAUSE: type: the loss is taken out with .item() and wrapped again, so no gradient reaches the logits"""
import torch
import torch.nn.functional as F


def sequence_loss(logits, tokens):
    if tokens.shape[1] < 2 or tokens.shape[0] == 0:
        raise ValueError("no target counts")
    losses = []
    for row, ids in zip(logits, tokens):
        for t in range(ids.numel() - 1):
            losses.append(F.cross_entropy(row[t].double(), ids[t + 1]).item())
    return torch.tensor(sum(losses) / len(losses), dtype=logits.dtype)
