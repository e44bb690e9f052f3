"""CAUSE: wrong axis: the set of seen tokens is taken over the whole batch, so rows are penalised for each other's tokens"""
import torch


def repetition_penalty(logits, tokens, penalty):
    if penalty <= 0:
        raise ValueError("penalty <= 0")
    seen = tokens.unique()
    out = logits.clone()
    part = out[..., seen]
    out[..., seen] = torch.where(part > 0, part / penalty, part * penalty)
    return out
