"""CAUSE: forgets the final LayerNorm ln_f"""
import torch
from .block import gpt2_block

# shows: ln_f.beta = 1 or ln_f.gamma = 2 change nothing, and logits grow with the stream


def gpt2(tokens, weights, n_heads):
    T = tokens.shape[1]
    if T > weights["wpe"].shape[0]:
        raise ValueError("sequence longer than the position table")
    x = weights["wte"][tokens] + weights["wpe"][torch.arange(T)]
    n = 0
    while f"blocks.{n}.ln1.gamma" in weights:
        prefix = f"blocks.{n}."
        x = gpt2_block(x, {k[len(prefix):]: v for k, v in weights.items() if k.startswith(prefix)}, n_heads)
        n += 1
    return x @ weights["wte"].T
