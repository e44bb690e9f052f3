"""One buffer of the final size, filled from the left and cut at the end."""
import torch


def generate(next_logits, prompt, max_new_tokens, context_length, stop_token=None):
    T = prompt.shape[1]
    if T < 1:
        raise ValueError("empty prompt")
    buffer = torch.empty(1, T + max_new_tokens, dtype=prompt.dtype)
    buffer[:, :T] = prompt
    end = T
    for end in range(T + 1, T + max_new_tokens + 1):
        start = max(0, end - 1 - context_length)
        row = next_logits(buffer[:, start : end - 1].clone())[0, -1].tolist()
        best = row.index(max(row))
        buffer[0, end - 1] = best
        if stop_token is not None and best == stop_token:
            break
    return buffer[:, :end].clone()
