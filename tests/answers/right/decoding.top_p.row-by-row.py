"""Plain Python, a stable sort of (-logit, index) pairs and a running sum."""
import math
import torch


def _keep(row, p):
    top = max(row)
    if top == -math.inf:
        return []
    weights = [math.exp(x - top) for x in row]
    total = math.fsum(weights)
    kept, mass = [], 0.0
    for i in sorted(range(len(row)), key=lambda j: (-row[j], j)):
        kept.append(i)
        mass += weights[i]
        if mass >= p * total:
            break
    return kept


def top_p(logits, p):
    if not 0 < p <= 1:
        raise ValueError(f"top_p: p must lie in (0, 1], got {p}")
    if p == 1:
        return logits.clone()
    flat = logits.reshape(-1, logits.shape[-1]) if logits.numel() else logits
    out = torch.full_like(flat, -torch.inf)
    if logits.numel():
        for r, row in enumerate(flat.tolist()):
            for i in _keep(row, p):
                out[r, i] = flat[r, i]
    return out.reshape(logits.shape)
