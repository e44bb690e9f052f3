"""CAUSE: state: the cropped window replaces the sequence, so the beginning is missing from what is returned"""
import torch


def generate(next_logits, prompt, max_new_tokens, context_length, stop_token=None):
    if prompt.shape[1] < 1:
        raise ValueError("empty prompt")
    tokens = prompt
    for _ in range(max_new_tokens):
        tokens = tokens[:, -context_length:]
        nxt = next_logits(tokens)[:, -1, :].argmax(dim=-1)
        tokens = torch.cat((tokens, nxt[:, None]), dim=1)
        if stop_token is not None and nxt[0] == stop_token:
            return tokens
    return tokens
