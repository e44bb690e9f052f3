"""CAUSE: off by one: the model is called again after the last token, and once when nothing is wanted"""
import torch


def generate(next_logits, prompt, max_new_tokens, context_length, stop_token=None):
    if prompt.shape[1] == 0:
        raise ValueError("empty prompt")
    seq = prompt
    logits = next_logits(seq[:, -context_length:])
    for _ in range(max_new_tokens):
        token = logits[:, -1].argmax(-1, keepdim=True)
        seq = torch.cat([seq, token], 1)
        logits = next_logits(seq[:, -context_length:])
        if token.item() == stop_token:
            break
    return seq
