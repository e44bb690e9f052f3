"""CAUSE: ignored rows are multiplied by zero instead of left out, so an ignored row of -inf gives NaN"""
import torch


# shows: logits [[0., 1.], [-inf, -inf]], targets [0, -100]: the result is nan, should be 1.313
def cross_entropy(logits, targets, ignore_index=-100):
    weight = (targets != ignore_index)
    count = int(weight.sum())
    if count == 0:
        raise ValueError("no targets to score")
    V = logits.shape[-1]
    inside = (targets >= 0) & (targets < V)
    if bool((weight & ~inside).any()):
        raise ValueError("target outside the vocabulary")
    z = logits.double()
    safe = targets.masked_fill(~weight, 0)
    nll = torch.logsumexp(z, -1) - z.gather(-1, safe.unsqueeze(-1)).squeeze(-1)
    return ((nll * weight).sum() / count).to(logits.dtype)
