"""CAUSE: misreading: the penalty is applied again for every occurrence, a token seen three times is penalised three times"""
import torch


def repetition_penalty(logits, tokens, penalty):
    if penalty <= 0:
        raise ValueError("penalty must be positive")
    out = logits.clone()
    flat, seen = out.view(-1, out.shape[-1]), tokens.reshape(-1, tokens.shape[-1])
    for row, ids in zip(flat, seen):
        for i in ids.tolist():
            row[i] = row[i] / penalty if row[i] > 0 else row[i] * penalty
    return out
