"""CAUSE: reads the block number from one character, so only blocks 0 to 9 exist"""
from .block import gpt2_block
from .normalization import layer_norm

# shows: 12 blocks: blocks 10 and 11 are skipped


def gpt2(tokens, weights, n_heads):
    t = tokens.size(1)
    if t > weights["wpe"].size(0):
        raise ValueError(f"context of {t} tokens is too long")
    n_layers = max([int(key[7]) + 1 for key in weights if key.startswith("blocks.")], default=0)
    x = weights["wte"][tokens] + weights["wpe"][None, :t]
    for i in range(n_layers):
        p = "blocks.%d." % i
        x = gpt2_block(x, {key[len(p):]: w for key, w in weights.items() if key.startswith(p)}, n_heads)
    x = layer_norm(x, weights["ln_f.gamma"], weights["ln_f.beta"])
    return x @ weights["wte"].T
