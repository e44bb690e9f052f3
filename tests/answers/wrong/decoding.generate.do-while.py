"""CAUSE: off by one: the test comes after the step, so max_new_tokens = 0 still makes one token"""
import torch


def generate(next_logits, prompt, max_new_tokens, context_length, stop_token=None):
    if prompt.shape[1] == 0:
        raise ValueError("empty prompt")
    seq, made = prompt, 0
    while True:
        token = next_logits(seq[:, -context_length:])[0, -1].argmax().view(1, 1)
        seq = torch.cat([seq, token], 1)
        made += 1
        if made >= max_new_tokens or token.item() == stop_token:
            return seq
