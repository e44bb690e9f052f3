"""CAUSE: eps reaches the blocks but not the final norm"""
import torch
from .block import llama_block
from .normalization import rms_norm

# shows: no blocks, embeddings of size 0.01 and eps=1e-2: logits come out several times too large; the default eps is right


def llama(tokens, weights, n_heads, n_kv_heads, base=10000.0, eps=1e-6):
    positions = torch.arange(tokens.size(1))
    layers = {}
    for key in weights:
        parts = key.split(".", 2)
        if parts[0] == "blocks":
            layers.setdefault(int(parts[1]), {})[parts[2]] = weights[key]
    h = weights["wte"][tokens]
    for index, w in sorted(layers.items()):
        h = llama_block(h, w, n_heads, n_kv_heads, positions, base, eps)
    h = rms_norm(h, weights["norm_f.weight"])
    head = weights["lm_head"] if "lm_head" in weights else weights["wte"]
    return h @ head.T
