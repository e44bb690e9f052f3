"""CAUSE: adds sinusoidal positions to the embeddings although RoPE already carries the position"""
import torch
from .block import llama_block
from .normalization import rms_norm
from .positions import sinusoidal_positions

# shows: without blocks the same token at two positions should get equal logits, it does not


def llama(tokens, weights, n_heads, n_kv_heads, base=10000.0, eps=1e-6):
    emb = weights["wte"]
    T = tokens.shape[1]
    h = emb[tokens] + sinusoidal_positions(T, emb.shape[1]).to(emb.dtype)
    keys = [k for k in weights if k.startswith("blocks.")]
    for n in sorted(set(int(k.split(".")[1]) for k in keys)):
        pre = f"blocks.{n}."
        h = llama_block(h, {k[len(pre):]: weights[k] for k in keys if k.startswith(pre)},
                        n_heads, n_kv_heads, torch.arange(T), base, eps)
    return rms_norm(h, weights["norm_f.weight"], eps) @ weights.get("lm_head", emb).T
