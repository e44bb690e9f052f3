"""CAUSE: wrong type: a flat Python list of ids is returned instead of an int64 tensor (1, T + n)"""
import torch


def generate(next_logits, prompt, max_new_tokens, context_length, stop_token=None):
    if prompt.shape[1] == 0:
        raise ValueError("empty prompt")
    ids = prompt[0].tolist()
    for _ in range(max_new_tokens):
        ids.append(next_logits(torch.tensor([ids[-context_length:]]))[0, -1].argmax().item())
        if ids[-1] == stop_token:
            break
    return ids
