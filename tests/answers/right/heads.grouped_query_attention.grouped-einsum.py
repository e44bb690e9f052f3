"""Leaves the kv heads as they are and gives the queries a second head axis for their place in the group."""
import torch


def grouped_query_attention(x, weights, n_heads, n_kv_heads, mask=None):
    b, t, d = x.shape
    if n_heads % n_kv_heads or d % n_heads:
        raise ValueError("heads must divide: D by n_heads, n_heads by n_kv_heads")
    kw, n = d // n_heads, n_heads // n_kv_heads
    up = torch.promote_types(x.dtype, torch.float32)
    w = {name: weights[name].to(up) for name in
         ("wq", "wk", "wv", "wo", "bq", "bk", "bv", "bo") if name in weights}
    xx = x.to(up)
    q = xx @ w["wq"].T
    k = xx @ w["wk"].T
    v = xx @ w["wv"].T
    if "bq" in w:
        q = q + w["bq"]
    if "bk" in w:
        k = k + w["bk"]
    if "bv" in w:
        v = v + w["bv"]
    q = q.reshape(b, t, n_kv_heads, n, kw)
    k = k.reshape(b, t, n_kv_heads, kw)
    v = v.reshape(b, t, n_kv_heads, kw)
    scores = torch.einsum("bqgnk,bsgk->bgnqs", q, k) * kw ** -0.5
    if mask is None:
        mask = torch.tril(torch.ones((t, t), dtype=torch.bool, device=x.device))
    mask = mask.expand(b, n_heads, t, t).reshape(b, n_kv_heads, n, t, t)
    scores = scores.masked_fill(~mask, torch.finfo(up).min)
    p = torch.softmax(scores, -1) * mask.any(-1, keepdim=True)
    out = torch.einsum("bgnqs,bsgk->bqgnk", p, v).reshape(b, t, d) @ w["wo"].T
    return (out + w["bo"] if "bo" in w else out).to(x.dtype)
