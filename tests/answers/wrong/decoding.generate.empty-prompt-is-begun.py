"""CAUSE: forgotten edge case: an empty prompt does not raise but is started with token 0"""
import torch


def generate(next_logits, prompt, max_new_tokens, context_length, stop_token=None):
    tokens = prompt if prompt.shape[1] else torch.zeros(1, 1, dtype=torch.int64)
    for _ in range(max_new_tokens):
        nxt = next_logits(tokens[:, -context_length:])[:, -1].argmax(-1, keepdim=True)
        tokens = torch.cat([tokens, nxt], dim=1)
        if nxt.item() == stop_token:
            break
    return tokens
