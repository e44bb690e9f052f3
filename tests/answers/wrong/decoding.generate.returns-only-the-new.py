"""CAUSE: misreading: only the new tokens are returned, without the prompt"""
import torch


def generate(next_logits, prompt, max_new_tokens, context_length, stop_token=None):
    if prompt.shape[1] == 0:
        raise ValueError("empty prompt")
    T = prompt.shape[1]
    x = prompt
    while x.shape[1] < T + max_new_tokens:
        y = next_logits(x[:, -context_length:])[:, -1].argmax(-1, keepdim=True)
        x = torch.cat([x, y], 1)
        if stop_token is not None and int(y) == stop_token:
            break
    return x[:, T:]
