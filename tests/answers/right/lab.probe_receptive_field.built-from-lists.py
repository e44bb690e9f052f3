"""Rebuilds the tokens from a Python list each time; the row's numbers compared as lists."""
import torch


def probe_receptive_field(model, tokens, position):
    ids = tokens[0].tolist()

    def row(sequence):
        return model(torch.tensor([sequence], dtype=tokens.dtype))[0, position].tolist()

    base = row(ids)
    V = len(base)
    answer = []
    for j, token in enumerate(ids):
        replaced = ids[:j] + [token - 1 if token > 0 else V - 1] + ids[j + 1 :]
        answer.append(row(replaced) != base)
    return torch.tensor(answer, dtype=torch.bool)
