"""CAUSE: misreading: max_new_tokens is taken for the total length with the prompt"""
import torch


def generate(next_logits, prompt, max_new_tokens, context_length, stop_token=None):
    if prompt.shape[1] == 0:
        raise ValueError("empty prompt")
    x = prompt
    while x.shape[1] < max_new_tokens:
        y = next_logits(x[:, -context_length:])[:, -1].argmax(-1, keepdim=True)
        x = torch.cat([x, y], 1)
        if stop_token is not None and int(y) == stop_token:
            break
    return x
