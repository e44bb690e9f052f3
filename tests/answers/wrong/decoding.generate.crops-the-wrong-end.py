"""CAUSE: misreading: the first context_length tokens are kept, the newest are cut off"""
import torch


def generate(next_logits, prompt, max_new_tokens, context_length, stop_token=None):
    if prompt.numel() == 0:
        raise ValueError("empty prompt")
    seq = prompt.clone()
    for _ in range(max_new_tokens):
        logits = next_logits(seq[:, :context_length])
        new = int(logits[0, -1].argmax())
        seq = torch.cat([seq, torch.tensor([[new]])], 1)
        if new == stop_token:
            break
    return seq
