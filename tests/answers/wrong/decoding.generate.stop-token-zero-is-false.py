"""CAUSE: truth value: "if stop_token and ..." treats token id 0 as if no stop token were given"""
import torch


def generate(next_logits, prompt, max_new_tokens, context_length, stop_token=None):
    if prompt.shape[1] == 0:
        raise ValueError("empty prompt")
    tokens = prompt
    for _ in range(max_new_tokens):
        nxt = next_logits(tokens[:, -context_length:])[:, -1].argmax(-1, keepdim=True)
        tokens = torch.cat([tokens, nxt], dim=1)
        if stop_token and nxt.item() == stop_token:
            break
    return tokens
