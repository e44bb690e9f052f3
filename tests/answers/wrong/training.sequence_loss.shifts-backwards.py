"""CAUSE: wrong direction: the shift is applied to the wrong side, so every position is asked to predict the token before it"""
import torch
import torch.nn.functional as F


def sequence_loss(logits, tokens):
    if tokens.shape[1] < 2:
        raise ValueError("sequence too short")
    if tokens.shape[0] == 0:
        raise ValueError("no targets")
    lg = logits[:, 1:]
    tg = tokens[:, :-1]
    return F.cross_entropy(lg.flatten(0, 1), tg.flatten())
