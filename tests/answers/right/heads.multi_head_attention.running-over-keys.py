"""Walks over the keys one by one with a running maximum, sum and context, as FlashAttention does."""
import math
import torch
from .heads import merge_heads, split_heads


def multi_head_attention(x, weights, n_heads, mask=None):
    batch, time, width = x.shape
    if width % n_heads:
        raise ValueError("width not divisible by n_heads")
    work = torch.promote_types(x.dtype, torch.float32)

    def linear(inputs, name):
        return torch.nn.functional.linear(
            inputs, weights["w" + name].to(work),
            weights["b" + name].to(work) if "b" + name in weights else None)

    q, k, v = (split_heads(linear(x.to(work), name), n_heads) for name in "qkv")
    q = q / math.sqrt(width // n_heads)
    if mask is None:
        mask = torch.ones(time, time, dtype=torch.bool, device=x.device).tril()
    mask = mask.broadcast_to(batch, n_heads, time, time)

    top = torch.full_like(q[..., :1], torch.finfo(work).min / 2)
    mass = torch.zeros_like(top)
    context = torch.zeros_like(q)
    for j in range(time):
        seen = mask[..., j:j + 1]
        score = (q * k[..., j:j + 1, :]).sum(-1, keepdim=True)
        score = torch.where(seen, score, top)
        higher = torch.maximum(top, score).detach()
        shrink = torch.exp(top - higher)
        gain = torch.where(seen, torch.exp(score - higher), torch.zeros_like(score))
        mass = mass * shrink + gain
        context = context * shrink + gain * v[..., j:j + 1, :]
        top = higher
    context = context / torch.where(mass > 0, mass, torch.ones_like(mass))
    return linear(merge_heads(context), "o").to(x.dtype)
