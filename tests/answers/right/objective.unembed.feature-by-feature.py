"""Sum rank-one pieces: feature d of the hidden state times column d of the table, one after the other."""
import torch


def unembed(hidden, table):
    wide = torch.promote_types(hidden.dtype, torch.float32)
    h, e = hidden.to(wide), table.to(wide)
    logits = torch.zeros(h.shape[:-1] + e.shape[:1], dtype=wide)
    for d in range(e.shape[1]):
        logits = logits + h[..., d, None] * e[:, d]
    return logits.to(hidden.dtype)
