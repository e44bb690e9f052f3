"""CAUSE: misreading: the stop token is looked for in the whole sequence, so one in the prompt ends it at once"""
import torch


def generate(next_logits, prompt, max_new_tokens, context_length, stop_token=None):
    if prompt.shape[1] == 0:
        raise ValueError("empty prompt")
    ids = prompt[0].tolist()
    for _ in range(max_new_tokens):
        if stop_token in ids:
            break
        window = torch.tensor([ids[-context_length:]], dtype=torch.int64)
        ids.append(int(next_logits(window)[0, -1].argmax()))
    return torch.tensor([ids], dtype=torch.int64)
