"""Every row on its own in a list comprehension, stacked again at the end."""
import torch


def _one(row, eps):
    centre = row - row.sum() / len(row)
    return centre / torch.sqrt(torch.dot(centre, centre) / len(row) + eps)


def standardize(x, eps=1e-5):
    rows = x.reshape(-1, x.shape[-1]) if x.numel() else x.flatten()[:0]
    done = [_one(r, eps) for r in rows.double()]
    return (torch.stack(done) if done else rows).reshape(x.shape).to(x.dtype)
