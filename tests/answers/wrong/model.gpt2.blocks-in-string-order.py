"""CAUSE: sorts the block names as strings, so block 10 runs before block 2"""
from .block import gpt2_block
from .normalization import layer_norm

# shows: 11 blocks with different weights; up to 10 blocks are right


def gpt2(tokens, weights, n_heads):
    B, T = tokens.shape
    if T > len(weights["wpe"]):
        raise ValueError("T > T_max")
    h = weights["wte"][tokens] + weights["wpe"][:T]
    names = sorted({k.split(".")[1] for k in weights if k.startswith("blocks.")})
    for name in names:
        prefix = f"blocks.{name}."
        block = {k[len(prefix):]: v for k, v in weights.items() if k.startswith(prefix)}
        h = gpt2_block(h, block, n_heads)
    h = layer_norm(h, weights["ln_f.gamma"], weights["ln_f.beta"])
    return h @ weights["wte"].t()
