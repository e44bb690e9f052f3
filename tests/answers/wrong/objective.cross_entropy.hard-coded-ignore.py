"""CAUSE: ignores the ignore_index argument, -100 is hard coded"""
import torch


# shows: cross_entropy(randn(2, 5), tensor([0, 3]), ignore_index=0) also counts the first target
def cross_entropy(logits, targets, ignore_index=-100):
    keep = targets != -100
    logits_k, targets_k = logits[keep], targets[keep]
    if targets_k.numel() == 0:
        raise ValueError("no target counts")
    if targets_k.min() < 0 or targets_k.max() >= logits.shape[-1]:
        raise ValueError("target outside the vocabulary")
    wide = logits_k.double()
    loss = torch.logsumexp(wide, dim=-1) - torch.take_along_dim(wide, targets_k[:, None], dim=-1)[:, 0]
    return loss.mean().to(logits.dtype)
