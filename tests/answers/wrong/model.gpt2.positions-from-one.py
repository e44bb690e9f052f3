"""CAUSE: numbers the positions from 1, row 0 of wpe is never used; CAUSE: therefore refuses the full context T = T_max"""
import torch
from .block import gpt2_block
from .normalization import layer_norm

# shows: T = T_max raises ValueError; for shorter inputs wpe[0] has no effect


def gpt2(tokens, weights, n_heads):
    T = tokens.shape[1]
    if T >= weights["wpe"].shape[0]:
        raise ValueError("sequence too long")
    pos = torch.arange(1, T + 1)
    h = weights["wte"][tokens] + weights["wpe"][pos]
    n_blocks = len({k.split(".")[1] for k in weights if k.startswith("blocks.")})
    for n in range(n_blocks):
        start = f"blocks.{n}."
        h = gpt2_block(h, {k.replace(start, "", 1): v for k, v in weights.items() if k.startswith(start)}, n_heads)
    return layer_norm(h, weights["ln_f.gamma"], weights["ln_f.beta"]) @ weights["wte"].T
