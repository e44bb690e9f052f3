"""CAUSE: attention and MLP run in parallel on the block input (GPT-J style)"""
from .normalization import layer_norm
from .heads import multi_head_attention
from .feedforward import feed_forward

# shows: large attn.wo: ln2 should see h + attention, it sees h


def gpt2_block(h, weights, n_heads):
    a = {k.removeprefix("attn."): w for k, w in weights.items() if k.startswith("attn.")}
    m = {k.removeprefix("mlp."): w for k, w in weights.items() if k.startswith("mlp.")}
    attn_out = multi_head_attention(layer_norm(h, weights["ln1.gamma"], weights["ln1.beta"]), a, n_heads)
    mlp_out = feed_forward(layer_norm(h, weights["ln2.gamma"], weights["ln2.beta"]), m)
    return h + attn_out + mlp_out
