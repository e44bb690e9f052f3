"""The flash-attention recurrence over blocks of keys: running maximum, running denominator, running numerator."""
import math
import torch


def attention(q, k, v, mask=None, *, block=16):
    wide = torch.promote_types(q.dtype, torch.float32)
    Q, K, V = (t.to(wide) for t in (q, k, v))
    Q = Q / math.sqrt(Q.shape[-1])
    tq, tk = Q.shape[-2], K.shape[-2]
    lead = torch.broadcast_shapes(Q.shape[:-2], K.shape[:-2])
    if mask is not None:
        mask = mask.expand(*lead, tq, tk)
    top = torch.full((*lead, tq, 1), -math.inf, dtype=wide)
    den = torch.zeros((*lead, tq, 1), dtype=wide)
    num = torch.zeros((*lead, tq, V.shape[-1]), dtype=wide)
    for a in range(0, tk, block):
        b = min(a + block, tk)
        s = Q @ K[..., a:b, :].mT
        if mask is not None:
            s = s.masked_fill(~mask[..., a:b], -math.inf)
        new = torch.maximum(top, s.detach().amax(-1, keepdim=True))
        safe = new.masked_fill(new == -math.inf, 0.0)
        fade = torch.exp(top - safe)
        e = torch.exp(s - safe)
        den = den * fade + e.sum(-1, keepdim=True)
        num = num * fade + e @ V[..., a:b, :]
        top = new
    return (num / den.masked_fill(den == 0, 1.0)).to(q.dtype)
