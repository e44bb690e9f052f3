"""CAUSE: the second sum starts from the block input again, so the attention reaches the output only through the MLP"""
from .normalization import layer_norm
from .heads import multi_head_attention
from .feedforward import feed_forward

# shows: mlp.w_out = 0 and b_out = 0: the block should return h + attention, returns h


def gpt2_block(h, weights, n_heads):
    def sub(prefix):
        return {name[len(prefix):]: t for name, t in weights.items() if name.startswith(prefix)}

    x = h
    normed = layer_norm(x, weights["ln1.gamma"], weights["ln1.beta"])
    after_attention = x + multi_head_attention(normed, sub("attn."), n_heads)
    normed = layer_norm(after_attention, weights["ln2.gamma"], weights["ln2.beta"])
    return x + feed_forward(normed, sub("mlp."))
