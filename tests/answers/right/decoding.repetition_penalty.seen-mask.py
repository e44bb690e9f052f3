"""A boolean mask of seen tokens and torch.where."""
import torch


def repetition_penalty(logits, tokens, penalty):
    if not penalty > 0:
        raise ValueError(f"penalty must be positive, got {penalty}")
    seen = torch.zeros(logits.shape, dtype=torch.bool, device=logits.device)
    seen.scatter_(-1, tokens, True)
    weaker = torch.where(logits > 0, logits / penalty, logits * penalty)
    return torch.where(seen, weaker, logits)
