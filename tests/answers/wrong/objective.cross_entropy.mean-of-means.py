"""CAUSE: averages each sequence first and then the batch, so tokens of padded rows weigh more"""
import torch


# shows: targets [[0, 1, 2], [3, -100, -100]]: the lone token of row 2 counts as much as all of row 1
def cross_entropy(logits, targets, ignore_index=-100):
    V = logits.shape[-1]
    keep_all = targets != ignore_index
    picked = targets[keep_all]
    if picked.numel() == 0:
        raise ValueError("no target counts")
    if picked.min() < 0 or picked.max() >= V:
        raise ValueError("target outside vocabulary")
    length = targets.shape[-1] if targets.ndim > 0 else 1
    row_logits = logits.reshape(-1, length, V).double()
    row_targets = targets.reshape(-1, length)
    per_row = []
    for lg, tg in zip(row_logits, row_targets):
        ok = tg != ignore_index
        if not ok.any():
            continue
        a, b = lg[ok], tg[ok]
        per_row.append((a.logsumexp(-1) - a[torch.arange(len(b)), b]).mean())
    return torch.stack(per_row).mean().to(logits.dtype)
