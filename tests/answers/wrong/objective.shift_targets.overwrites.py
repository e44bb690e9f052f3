"""CAUSE: shifts the caller's tokens in place"""
import torch


# shows: x = tensor([[1, 2, 3]]); shift_targets(x) leaves x at [[2, 3, 3]]
def shift_targets(tokens):
    B, T = tokens.shape
    if T < 2:
        raise ValueError("too short")
    inp = tokens[:, :-1].clone()
    tgt = tokens
    for b in range(B):
        for i in range(T - 1):
            tgt[b, i] = tokens[b, i + 1]
    return inp, tgt[:, :T - 1]
