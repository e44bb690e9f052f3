"""CAUSE: off by one: it breaks before the stop token is appended"""
import torch


def generate(next_logits, prompt, max_new_tokens, context_length, stop_token=None):
    if prompt.shape[1] == 0:
        raise ValueError("empty prompt")
    out = prompt
    for _ in range(max_new_tokens):
        nxt = next_logits(out[:, -context_length:])[:, -1].argmax(-1, keepdim=True)
        if stop_token is not None and nxt.item() == stop_token:
            break
        out = torch.cat([out, nxt], 1)
    return out
