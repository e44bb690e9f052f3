"""CAUSE: state: after the first step only the newest token is passed, as if the callable kept a cache"""
import torch


def generate(next_logits, prompt, max_new_tokens, context_length, stop_token=None):
    if prompt.shape[1] == 0:
        raise ValueError("empty prompt")
    out = prompt
    feed = prompt[:, -context_length:]
    for _ in range(max_new_tokens):
        feed = next_logits(feed)[:, -1].argmax(-1, keepdim=True)
        out = torch.cat([out, feed], 1)
        if stop_token is not None and feed.item() == stop_token:
            break
    return out
