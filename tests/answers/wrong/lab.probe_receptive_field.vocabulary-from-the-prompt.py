"""CAUSE: edge case: the vocabulary is guessed as the largest token + 1, with a prompt of zeros no replacement is left"""
import torch


def probe_receptive_field(model, tokens, position):
    V = int(tokens.max()) + 1
    base = model(tokens)[0, position]
    field = []
    for j in range(tokens.shape[1]):
        t = tokens.clone()
        t[0, j] = (t[0, j] + 1) % V
        field.append(not torch.equal(model(t)[0, position], base))
    return torch.tensor(field)
