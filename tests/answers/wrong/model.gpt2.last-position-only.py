"""CAUSE: returns the logits of the last position, as generation code does"""
from .block import gpt2_block
from .normalization import layer_norm
from .objective import embed, unembed

# shows: tokens (2, 5): logits (2, 1, V), should be (2, 5, V)


def gpt2(tokens, weights, n_heads):
    b, t = tokens.size()
    block_size = weights["wpe"].size(0)
    if t > block_size:
        raise ValueError(f"Cannot forward sequence of length {t}, block size is only {block_size}")
    x = embed(tokens, weights["wte"]) + weights["wpe"][:t]
    layer = 0
    while any(k.startswith(f"blocks.{layer}.") for k in weights):
        x = gpt2_block(x, {k.split(".", 2)[2]: v for k, v in weights.items() if k.startswith(f"blocks.{layer}.")}, n_heads)
        layer += 1
    x = layer_norm(x, weights["ln_f.gamma"], weights["ln_f.beta"])
    return unembed(x[:, [-1], :], weights["wte"])
