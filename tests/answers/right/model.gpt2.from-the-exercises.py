"""Embedding, a loop of gpt2_block over the sorted block numbers, layer norm, tied unembedding."""
import torch
from .block import gpt2_block
from .normalization import layer_norm
from .objective import embed, unembed


def gpt2(tokens, weights, n_heads):
    time = tokens.shape[1]
    if time > len(weights["wpe"]):
        raise ValueError("the sequence is longer than the table of positions")
    kind = weights["wte"].dtype
    wide = {key: value.float() if value.dtype in (torch.bfloat16, torch.float16) else value
            for key, value in weights.items() if isinstance(value, torch.Tensor)}
    blocks = {}
    for key, value in wide.items():
        if key.startswith("blocks."):
            _, number, rest = key.split(".", 2)
            blocks.setdefault(int(number), {})[rest] = value
    h = embed(tokens, wide["wte"]) + wide["wpe"][:time]
    for _, block in sorted(blocks.items()):
        h = gpt2_block(h, block, n_heads)
    h = layer_norm(h, wide["ln_f.gamma"], wide["ln_f.beta"])
    return unembed(h, wide["wte"]).to(kind)
