"""CAUSE: negative targets other than ignore_index are not rejected, indexing wraps around"""
import torch


# shows: cross_entropy(randn(3, 5), tensor([0, -1, 1])) uses the last class for -1, should raise
def cross_entropy(logits, targets, ignore_index=-100):
    C = logits.shape[-1]
    lg = logits.reshape(-1, C)
    tg = targets.reshape(-1)
    idx = torch.nonzero(tg != ignore_index).flatten()
    if idx.numel() == 0:
        raise ValueError("empty loss")
    lg, tg = lg[idx].double(), tg[idx]
    if tg.max() >= C:
        raise ValueError("label too large")
    try:
        right = lg[torch.arange(len(tg)), tg]
    except IndexError:
        raise ValueError("label out of range")
    return (lg.logsumexp(-1) - right).mean().to(logits.dtype)
