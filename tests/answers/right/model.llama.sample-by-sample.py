"""Treats every sequence of the batch alone and without a batch axis, then stacks the logits."""
import torch
import torch.nn.functional as F


def _rms(x, gain, eps):
    return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps) * gain


def _one(row, w, n_heads, n_kv_heads, n_blocks, base, eps):
    time = len(row)
    x = w["wte"][row]
    width = x.shape[-1] // n_heads
    half = width // 2
    order = torch.arange(half, dtype=torch.float64)
    angle = torch.arange(time)[:, None] / float(base) ** (2 * order / width)
    cos, sin = angle.cos().to(x.dtype), angle.sin().to(x.dtype)

    def rope(z):
        return torch.cat([z[:, :half] * cos - z[:, half:] * sin, z[:, half:] * cos + z[:, :half] * sin], -1)

    future = torch.full((time, time), -torch.inf, dtype=x.dtype).triu_(1)
    for n in range(n_blocks):
        b = f"blocks.{n}."
        y = _rms(x, w[b + "norm1.weight"], eps)
        q, k, v = ((y @ w[b + name].T).split(width, -1) for name in ("attn.wq", "attn.wk", "attn.wv"))
        k = [rope(head) for head in k]
        context = []
        for head in range(n_heads):
            served = head * n_kv_heads // n_heads
            scores = rope(q[head]) @ k[served].T / width ** 0.5 + future
            context.append(scores.softmax(-1) @ v[served])
        x = x + torch.cat(context, -1) @ w[b + "attn.wo"].T
        y = _rms(x, w[b + "norm2.weight"], eps)
        x = x + (F.silu(y @ w[b + "mlp.w_gate"].T) * (y @ w[b + "mlp.w_up"].T)) @ w[b + "mlp.w_down"].T
    return _rms(x, w["norm_f.weight"], eps) @ w.get("lm_head", w["wte"]).T


def llama(tokens, weights, n_heads, n_kv_heads, base=10000.0, eps=1e-6):
    kind = weights["wte"].dtype
    width = weights["wte"].shape[1]
    if width % n_heads or n_heads % n_kv_heads or width // n_heads % 2:
        raise ValueError("the heads do not fit the width")
    up = torch.promote_types(kind, torch.float32)
    w = {key: value.to(up) for key, value in weights.items()}
    n_blocks = len({key.split(".")[1] for key in w if key.startswith("blocks.")})
    if len(tokens) == 0:
        return (w["wte"][tokens] @ w.get("lm_head", w["wte"]).T).to(kind)
    rows = [_one(row, w, n_heads, n_kv_heads, n_blocks, base, eps) for row in tokens]
    return torch.stack(rows).to(kind)
