"""Query heads folded into (Hkv, n), einsum, no repeated keys."""
import torch


def attend_cached(q, k_new, v_new, cache):
    k, v = (k_new, v_new) if cache is None else (torch.cat((old, new), dim=2) for old, new in zip(cache, (k_new, v_new)))
    B, H, Tq, K = q.shape
    Hkv, Tk = k.shape[1], k.shape[2]
    wide = torch.float64 if q.dtype == torch.float64 else torch.float32
    folded = q.to(wide).reshape(B, Hkv, H // Hkv, Tq, K)
    scores = torch.einsum("bgnqc,bgkc->bgnqk", folded, k.to(wide)) * K ** -0.5
    hidden = torch.arange(Tk) > torch.arange(Tk - Tq, Tk).unsqueeze(1)
    weights = scores.masked_fill(hidden, -torch.inf).softmax(dim=-1)
    out = torch.einsum("bgnqk,bgkc->bgnqc", weights, v.to(wide))
    return out.reshape(B, H, Tq, K).to(q.dtype), (k, v)
