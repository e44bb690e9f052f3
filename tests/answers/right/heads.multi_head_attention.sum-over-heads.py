"""Never merges: runs one head at a time and adds up what each sends through its columns of wo."""
import math
import torch


def multi_head_attention(x, weights, n_heads, mask=None):
    batch, time, width = x.shape
    if width % n_heads:
        raise ValueError(f"{width} is not divisible by {n_heads}")
    k_width = width // n_heads
    work = torch.promote_types(x.dtype, torch.float32)
    xs = x.to(work)

    def part(name, rows):
        y = xs @ weights["w" + name][rows].to(work).T
        bias = weights.get("b" + name)
        return y if bias is None else y + bias[rows].to(work)

    if mask is None:
        allowed = torch.ones(time, time, dtype=torch.bool, device=x.device).tril()
    else:
        allowed = mask
    allowed = torch.broadcast_to(allowed, (batch, n_heads, time, time))

    total = torch.zeros_like(xs)
    for head in range(n_heads):
        rows = slice(head * k_width, (head + 1) * k_width)
        q, k, v = (part(name, rows) for name in "qkv")
        scores = torch.bmm(q, k.transpose(1, 2)) / math.sqrt(k_width)
        ok = allowed[:, head]
        lowest = torch.finfo(work).min
        probabilities = torch.softmax(scores.masked_fill(~ok, lowest), dim=-1)
        probabilities = probabilities.masked_fill(~ok, 0.0)
        total = total + torch.bmm(probabilities, v) @ weights["wo"][:, rows].to(work).T
    if "bo" in weights:
        total = total + weights["bo"].to(work)
    return total.to(x.dtype)
