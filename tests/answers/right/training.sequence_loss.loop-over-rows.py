"""A loop over rows and positions, float64 inside."""
import torch


def sequence_loss(logits, tokens):
    n_rows, length = tokens.shape
    if length < 2:
        raise ValueError("T < 2: there is no next token to predict")
    if n_rows == 0:
        raise ValueError("no target counts in an empty batch")
    vocabulary = logits.shape[-1]
    total = torch.zeros((), dtype=torch.float64)
    for b in range(n_rows):
        for t in range(length - 1):
            target = int(tokens[b, t + 1])
            if not 0 <= target < vocabulary:
                raise ValueError("target outside the vocabulary")
            z = logits[b, t].to(torch.float64)
            if z[target] == -torch.inf:
                total = total + torch.inf
            else:
                total = total + torch.logsumexp(z, 0) - z[target]
    return (total / (n_rows * (length - 1))).to(logits.dtype)
