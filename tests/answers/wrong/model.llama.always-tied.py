"""CAUSE: unembeds with wte even when the weights carry an lm_head"""
import torch
from .block import llama_block
from .normalization import rms_norm

# shows: weights with lm_head: the logits do not depend on it


def llama(tokens, weights, n_heads, n_kv_heads, base=10000.0, eps=1e-6):
    x = weights["wte"][tokens]
    pos = torch.arange(tokens.shape[1])
    i = 0
    while f"blocks.{i}.norm1.weight" in weights:
        p = f"blocks.{i}."
        x = llama_block(x, {k[len(p):]: v for k, v in weights.items() if k.startswith(p)}, n_heads, n_kv_heads, pos, base, eps)
        i += 1
    x = rms_norm(x, weights["norm_f.weight"], eps)
    return x @ weights["wte"].T
