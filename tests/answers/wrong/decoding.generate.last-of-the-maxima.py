"""CAUSE: ties: of several equal maxima the last one is taken"""
import torch


def generate(next_logits, prompt, max_new_tokens, context_length, stop_token=None):
    if prompt.shape[1] == 0:
        raise ValueError("empty prompt")
    ids = prompt[0].tolist()
    for _ in range(max_new_tokens):
        row = next_logits(torch.tensor([ids[-context_length:]]))[0, -1].tolist()
        best = 0
        for i, value in enumerate(row):
            if value >= row[best]:
                best = i
        ids.append(best)
        if best == stop_token:
            break
    return torch.tensor([ids])
