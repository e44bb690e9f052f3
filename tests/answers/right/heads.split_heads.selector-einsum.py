"""Multiplies with a 0/1 selector tensor that says which feature goes to which (head, slot)."""
import torch


def split_heads(x, n_heads):
    width = x.shape[-1]
    head_width, rest = divmod(width, n_heads)
    if rest:
        raise ValueError(f"{width} features are not divisible by {n_heads} heads")
    selector = torch.eye(width, dtype=x.dtype, device=x.device).reshape(width, n_heads, head_width)
    return torch.einsum("btd,dhk->bhtk", x, selector)
