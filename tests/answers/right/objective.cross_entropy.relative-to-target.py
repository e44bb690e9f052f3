"""-log p(t) is log(1 + sum of exp(x_j - x_t) over the others): measure every logit from the target's and use log-sum-exp."""
import torch


def cross_entropy(logits, targets, ignore_index=-100):
    vocab = logits.shape[-1]
    counted = torch.nonzero(targets.reshape(-1) != ignore_index).flatten()
    if len(counted) == 0:
        raise ValueError("every target is ignored (or the batch is empty)")
    goal = targets.reshape(-1).index_select(0, counted)
    if not all(0 <= g < vocab for g in goal.tolist()):
        raise ValueError(f"targets must lie in 0..{vocab - 1}")
    rows = logits.reshape(targets.numel(), vocab).index_select(0, counted).double()
    own = rows.gather(-1, goal.unsqueeze(-1))
    impossible = own == -float("inf")
    gaps = rows - own.masked_fill(impossible, 0.0)
    losses = torch.logsumexp(gaps, dim=-1).masked_fill(impossible.squeeze(-1), float("inf"))
    return (losses.sum() / len(counted)).to(logits.dtype)
