"""Loops over kv heads; the n query heads of one kv head lie behind one another on the time axis."""
import math
import torch
import torch.nn.functional as F


def grouped_query_attention(x, weights, n_heads, n_kv_heads, mask=None):
    if n_heads % n_kv_heads:
        raise ValueError("n_heads must be a multiple of n_kv_heads")
    B, T, D = x.shape
    if D % n_heads:
        raise ValueError("D must be a multiple of n_heads")
    K = D // n_heads
    n = n_heads // n_kv_heads
    work = x.dtype if x.dtype in (torch.float32, torch.float64) else torch.float32

    def lin(z, tag):
        bias = weights["b" + tag].to(work) if ("b" + tag) in weights else None
        return F.linear(z, weights["w" + tag].to(work), bias)

    z = x.to(work)
    queries = lin(z, "q").split(K, -1)
    keys = lin(z, "k").split(K, -1)
    values = lin(z, "v").split(K, -1)
    if mask is None:
        mask = torch.arange(T, device=x.device).unsqueeze(1) >= torch.arange(T, device=x.device)
    mask = mask.expand(B, n_heads, T, T)
    contexts = []
    for g in range(n_kv_heads):
        mine = slice(g * n, (g + 1) * n)
        q = torch.cat(queries[mine], dim=1)                       # (B, n*T, K)
        m = mask[:, mine].reshape(B, n * T, T)
        s = torch.baddbmm(torch.zeros((), dtype=work), q, keys[g].mT, beta=0, alpha=1 / math.sqrt(K))
        s = s.masked_fill(m.logical_not(), -math.inf)
        s = s.masked_fill(~m.any(-1, keepdim=True), 0.0)          # empty rows: keep softmax finite
        p = s.softmax(-1).masked_fill(~m, 0.0)
        contexts += torch.bmm(p, values[g]).split(T, dim=1)
    return lin(torch.cat(contexts, -1), "o").to(x.dtype)
