"""CAUSE: does not check the length, a too long input ends in an IndexError of the table"""
import torch
from .block import gpt2_block
from .normalization import layer_norm

# shows: T_max = 4, tokens (1, 5): IndexError instead of ValueError


def gpt2(tokens, weights, n_heads):
    position_ids = torch.arange(tokens.shape[-1]).unsqueeze(0)
    hidden = weights["wte"][tokens] + weights["wpe"][position_ids]
    blocks = {}
    for key, value in weights.items():
        if key.startswith("blocks."):
            _, idx, rest = key.split(".", 2)
            blocks.setdefault(int(idx), {})[rest] = value
    for idx in sorted(blocks):
        hidden = gpt2_block(hidden, blocks[idx], n_heads)
    hidden = layer_norm(hidden, weights["ln_f.gamma"], weights["ln_f.beta"])
    return torch.einsum("btd,vd->btv", hidden, weights["wte"])
