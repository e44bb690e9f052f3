"""CAUSE: misreading: id 0 is taken for padding and left out, but in sequence_loss all tokens count"""
import torch.nn.functional as F


def sequence_loss(logits, tokens):
    B, T, V = logits.shape
    if T < 2:
        raise ValueError("T must be at least 2")
    if B == 0:
        raise ValueError("empty batch")
    pred = logits[:, :-1, :].reshape(B * (T - 1), V)
    gold = tokens[:, 1:].reshape(B * (T - 1))
    return F.cross_entropy(pred, gold, ignore_index=0)
