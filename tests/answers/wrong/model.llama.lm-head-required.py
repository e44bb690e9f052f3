"""CAUSE: expects lm_head always, tied weights end in a KeyError"""
import torch
import torch.nn.functional as F
from .block import llama_block
from .normalization import rms_norm

# shows: weights without lm_head -> KeyError, should use wte


def llama(tokens, weights, n_heads, n_kv_heads, base=10000.0, eps=1e-6):
    h = F.embedding(tokens, weights["wte"])
    numbers = sorted({int(k.split(".")[1]) for k in weights if k.startswith("blocks.")})
    for n in numbers:
        p = f"blocks.{n}."
        layer = {k[len(p):]: v for k, v in weights.items() if k.startswith(p)}
        h = llama_block(h, layer, n_heads, n_kv_heads, torch.arange(h.shape[1]), base=base, eps=eps)
    return F.linear(rms_norm(h, weights["norm_f.weight"], eps), weights["lm_head"])
