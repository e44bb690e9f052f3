"""CAUSE: divides by the number of all targets, ignored ones included"""
import torch


# shows: two targets of which one is -100: the loss is half of what it should be
def cross_entropy(logits, targets, ignore_index=-100):
    n_vocab = logits.shape[-1]
    flat_logits = logits.reshape(-1, n_vocab)
    flat_targets = targets.reshape(-1)
    keep = flat_targets != ignore_index
    if not bool(keep.any()):
        raise ValueError("all targets are ignored")
    kept_t = flat_targets[keep]
    if (kept_t < 0).any() or (kept_t >= n_vocab).any():
        raise ValueError("targets must be in 0..V-1")
    kept_l = flat_logits[keep].double()
    nll = torch.logsumexp(kept_l, dim=-1) - kept_l.gather(-1, kept_t.unsqueeze(-1)).squeeze(-1)
    return (nll.sum() / flat_targets.numel()).to(logits.dtype)
