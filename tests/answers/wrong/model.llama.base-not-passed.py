"""CAUSE: drops base, the blocks always use 10000"""
import torch
from .block import llama_block
from .normalization import rms_norm

# shows: base=100.0 gives the same logits as the default (T > 1, K > 2)


def llama(tokens, weights, n_heads, n_kv_heads, base=10000.0, eps=1e-6):
    def layer(n):
        p = f"blocks.{n}."
        return {k[len(p):]: v for k, v in weights.items() if k.startswith(p)}

    stream = weights["wte"][tokens]
    n = 0
    while layer(n):
        stream = llama_block(stream, layer(n), n_heads, n_kv_heads, torch.arange(tokens.shape[1]), eps=eps)
        n += 1
    out = rms_norm(stream, weights["norm_f.weight"], eps)
    return out @ weights.get("lm_head", weights["wte"]).T
