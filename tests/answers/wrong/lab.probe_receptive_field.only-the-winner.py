"""CAUSE: misreading: only a change of the most probable token counts, not a change of the logits"""
import torch


def probe_receptive_field(model, tokens, position):
    logits = model(tokens)[0, position]
    out = torch.zeros(tokens.shape[1], dtype=torch.bool)
    for j in range(tokens.shape[1]):
        t = tokens.clone()
        t[0, j] = (t[0, j] + 1) % logits.numel()
        out[j] = model(t)[0, position].argmax() != logits.argmax()
    return out
