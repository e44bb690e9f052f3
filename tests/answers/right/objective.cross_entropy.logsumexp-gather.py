"""Drop the ignored rows, shift by the row maximum, then log-sum-exp minus the gathered target."""
import torch


def cross_entropy(logits, targets, ignore_index=-100):
    V = logits.shape[-1]
    flat = targets.reshape(-1)
    keep = flat != ignore_index
    t = flat[keep]
    if t.numel() == 0:
        raise ValueError("no target counts")
    if t.min() < 0 or t.max() >= V:
        raise ValueError("target outside the vocabulary")
    x = logits.reshape(-1, V)[keep]
    x = x.to(torch.promote_types(x.dtype, torch.float32))
    top = x.detach().amax(-1, keepdim=True)
    x = x - torch.where(torch.isneginf(top), torch.zeros_like(top), top)
    picked = x.gather(1, t[:, None])[:, 0]
    nll = torch.logsumexp(x, dim=-1) - picked
    nll = torch.where(torch.isneginf(picked), torch.full_like(nll, float("inf")), nll)
    return nll.mean().to(logits.dtype)
