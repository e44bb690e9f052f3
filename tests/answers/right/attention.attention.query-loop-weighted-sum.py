"""For each query a weighted average of the value rows, written as a loop over queries."""
import math
import torch
from .objective import softmax


def attention(q, k, v, mask=None):
    q2, k2, v2 = q.double(), k.double(), v.double()
    shape = q.shape[:-1] + k.shape[-2:-1]
    seen = None if mask is None else mask.expand(shape)
    answers = []
    for i in range(q.shape[-2]):
        fit = (k2 @ q2[..., i, :, None]).squeeze(-1) / math.sqrt(q.shape[-1])
        if seen is not None:
            fit = fit.masked_fill(~seen[..., i, :], -math.inf)
        share = softmax(fit)
        answers.append((share.unsqueeze(-1) * v2).sum(-2))
    return torch.stack(answers, dim=-2).to(q.dtype)
