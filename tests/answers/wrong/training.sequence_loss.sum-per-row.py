"""CAUSE: wrong reduction: the losses are summed along the sequence and averaged over the batch only"""
import torch


def sequence_loss(logits, tokens):
    B, T, V = logits.shape
    if T < 2 or B < 1:
        raise ValueError("no target counts")
    total = 0
    for b in range(B):
        row = torch.log_softmax(logits[b, :-1].float() if logits.element_size() == 2 else logits[b, :-1], dim=-1)
        total = total - row[torch.arange(T - 1), tokens[b, 1:]].sum()
    return (total / B).to(logits.dtype)
