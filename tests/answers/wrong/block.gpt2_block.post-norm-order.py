"""CAUSE: normalizes after each sum, the order of GPT-1 and the first Transformer"""
from .normalization import layer_norm
from .heads import multi_head_attention
from .feedforward import feed_forward

# shows: with ln2 gains 1 and shifts 0 every output row has mean 0 and variance 1, whatever h is


def gpt2_block(h, weights, n_heads):
    attn = {k[5:]: v for k, v in weights.items() if k.startswith("attn.")}
    mlp = {k[4:]: v for k, v in weights.items() if k.startswith("mlp.")}
    h = layer_norm(h + multi_head_attention(h, attn, n_heads), weights["ln1.gamma"], weights["ln1.beta"])
    h = layer_norm(h + feed_forward(h, mlp), weights["ln2.gamma"], weights["ln2.beta"])
    return h
