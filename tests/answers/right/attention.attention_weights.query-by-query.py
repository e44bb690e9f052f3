"""Loop over the queries, each row with its own maximum and its own sum."""
import torch


def _row(s, allowed):
    floor = torch.full_like(s, float("-inf"))
    s = s.where(allowed, floor)
    top = s.amax(-1, keepdim=True).detach()
    top = top.where(top > float("-inf"), torch.zeros_like(top))
    e = torch.exp(s - top)
    z = e.sum(-1, keepdim=True)
    return e / z.where(z != 0, torch.ones_like(z))


def attention_weights(scores, mask=None):
    if mask is None:
        mask = torch.tensor(True)
    mask = mask.broadcast_to(scores.shape)
    x = scores.double()
    rows = [_row(x[..., i, :], mask[..., i, :]) for i in range(x.shape[-2])]
    return torch.stack(rows, -2).to(scores.dtype)
