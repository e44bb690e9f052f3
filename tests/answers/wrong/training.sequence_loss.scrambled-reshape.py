"""CAUSE: wrong axis: time and vocabulary are swapped before flattening, so each row of V numbers mixes several positions"""
import torch.nn.functional as F


def sequence_loss(logits, tokens):
    B, T, V = logits.shape
    if T < 2 or B == 0:
        raise ValueError("no target counts")
    flat = logits[:, :-1].transpose(1, 2).reshape(-1, V)
    return F.cross_entropy(flat, tokens[:, 1:].reshape(-1))
