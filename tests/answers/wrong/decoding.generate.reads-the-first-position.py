"""CAUSE: wrong axis: the logits of position 0 are read, not those of the last position"""
import torch


def generate(next_logits, prompt, max_new_tokens, context_length, stop_token=None):
    if prompt.shape[1] == 0:
        raise ValueError("empty prompt")
    seq = prompt
    for _ in range(max_new_tokens):
        token = next_logits(seq[:, -context_length:])[:, 0].argmax(-1)
        seq = torch.cat([seq, token.unsqueeze(1)], 1)
        if token.item() == stop_token:
            break
    return seq
