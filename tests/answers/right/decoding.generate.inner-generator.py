"""A Python generator yields the new ids; a deque with a maximal length is the context."""
from collections import deque
from itertools import islice

import torch


def _stream(next_logits, ids, context_length, stop_token):
    window = deque(ids, maxlen=context_length)
    while True:
        logits = next_logits(torch.tensor([list(window)], dtype=torch.int64))
        token = int(torch.argmax(logits[0, -1]))
        window.append(token)
        yield token
        if stop_token is not None and token == stop_token:
            return


def generate(next_logits, prompt, max_new_tokens, context_length, stop_token=None):
    if prompt.shape[-1] == 0:
        raise ValueError("generate needs at least one prompt token")
    ids = prompt[0].tolist()
    new = list(islice(_stream(next_logits, ids, context_length, stop_token), max_new_tokens))
    return torch.tensor([ids + new], dtype=torch.int64)
