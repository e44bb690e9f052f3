"""Loops llama_block over the block numbers, upcasting short types once at the door."""
import torch
from .block import llama_block
from .normalization import rms_norm


def llama(tokens, weights, n_heads, n_kv_heads, base=10000.0, eps=1e-6):
    dtype = weights["wte"].dtype
    if dtype in (torch.bfloat16, torch.float16):
        wide = {k: v.float() for k, v in weights.items() if torch.is_floating_point(v)}
        return llama(tokens, wide, n_heads, n_kv_heads, base, eps).to(dtype)
    numbers = {int(key.split(".")[1]) for key in weights if key.startswith("blocks.")}
    positions = torch.arange(tokens.shape[1], device=tokens.device)
    h = weights["wte"][tokens]
    for number in sorted(numbers):
        prefix = f"blocks.{number}."
        own = {key[len(prefix):]: value for key, value in weights.items() if key.startswith(prefix)}
        h = llama_block(h, own, n_heads, n_kv_heads, positions, base=base, eps=eps)
    h = rms_norm(h, weights["norm_f.weight"], eps)
    return h @ weights.get("lm_head", weights["wte"]).T
