"""Copies the rows of wk and wv (and their biases) for every query head, then it is ordinary multi-head attention."""
import torch
from .heads import multi_head_attention


def grouped_query_attention(x, weights, n_heads, n_kv_heads, mask=None):
    if n_heads % n_kv_heads != 0:
        raise ValueError(f"{n_heads} query heads over {n_kv_heads} kv heads do not come out even")
    if x.shape[-1] % n_heads != 0:
        raise ValueError(f"width {x.shape[-1]} over {n_heads} heads does not come out even")
    width = x.shape[-1] // n_heads
    head = torch.arange(n_heads, device=x.device) // (n_heads // n_kv_heads)
    rows = (head[:, None] * width + torch.arange(width, device=x.device)).flatten()
    work = torch.promote_types(x.dtype, torch.float32)
    full = {name: tensor.to(work) for name, tensor in weights.items()}
    for name in ("wk", "wv", "bk", "bv"):
        if name in full:
            full[name] = full[name][rows]
    return multi_head_attention(x.to(work), full, n_heads, mask).to(x.dtype)
