"""Gives the matrices a head axis and writes the four products as einsum."""
import torch


def multi_head_attention(x, weights, n_heads, mask=None):
    d = x.shape[-1]
    if d % n_heads != 0:
        raise ValueError("model width is not a multiple of the heads")
    kw = d // n_heads
    t = x.shape[1]
    up = torch.float32 if x.dtype in (torch.bfloat16, torch.float16) else x.dtype
    xx = x.to(up)

    def project(letter):
        matrix = weights["w" + letter].to(up).reshape(n_heads, kw, d)
        out = torch.einsum("btd,hkd->bhtk", xx, matrix)
        if "b" + letter in weights:
            out = out + weights["b" + letter].to(up).reshape(n_heads, 1, kw)
        return out

    q, k, v = project("q"), project("k"), project("v")
    logits = torch.einsum("bhqk,bhsk->bhqs", q * kw ** -0.5, k)
    if mask is None:
        position = torch.arange(t, device=x.device)
        mask = position[:, None] >= position[None, :]
    # the maximum is over allowed places only; a row without any uses 0
    shut = logits.masked_fill(~mask, float("-inf"))
    top = shut.detach().amax(-1, keepdim=True)
    top = top.masked_fill(torch.isinf(top), 0.0)
    # shut places are put at the maximum first, so that exp cannot overflow there
    exponent = torch.where(mask, logits - top, torch.zeros_like(logits))
    e = exponent.exp() * mask
    norm = e.sum(-1, keepdim=True)
    p = e / norm.masked_fill(norm == 0, 1.0)
    out = torch.einsum("bhqs,bhsk,ohk->bqo", p, v, weights["wo"].to(up).reshape(d, n_heads, kw))
    if "bo" in weights:
        out = out + weights["bo"].to(up)
    return out.to(x.dtype)
