"""CAUSE: slices the weights of block 0 outside the loop and runs them N times"""
import torch
from .block import llama_block
from .normalization import rms_norm

# shows: two blocks with different weights: block 1 has no effect; one block is right


def llama(tokens, weights, n_heads, n_kv_heads, base=10000.0, eps=1e-6):
    n_blocks = 1 + max([int(k.split(".")[1]) for k in weights if k.startswith("blocks.")], default=-1)
    block_weights = {k[len("blocks.0."):]: v for k, v in weights.items() if k.startswith("blocks.0.")}
    positions = torch.arange(tokens.shape[-1])
    h = weights["wte"][tokens]
    for _ in range(n_blocks):
        h = llama_block(h, block_weights, n_heads, n_kv_heads, positions, base, eps)
    h = rms_norm(h, weights["norm_f.weight"], eps)
    return h @ weights.get("lm_head", weights["wte"]).T
