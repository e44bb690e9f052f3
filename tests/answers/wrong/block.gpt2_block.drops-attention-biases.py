"""CAUSE: collects only the weight matrices of the attention, its biases never arrive"""
from .normalization import layer_norm
from .heads import multi_head_attention
from .feedforward import feed_forward

# shows: attn.bo = 1 (or attn.bv): the output is the same as with 0; freshly initialized biases are 0


def gpt2_block(h, weights, n_heads):
    attention_weights = {n: weights[f"attn.{n}"] for n in ["wq", "wk", "wv", "wo"]}
    mlp_weights = {n: weights[f"mlp.{n}"] for n in ["w_in", "b_in", "w_out", "b_out"]}
    x1 = layer_norm(h, weights["ln1.gamma"], weights["ln1.beta"])
    h = h + multi_head_attention(x1, attention_weights, n_heads)
    x2 = layer_norm(h, weights["ln2.gamma"], weights["ln2.beta"])
    h = h + feed_forward(x2, mlp_weights)
    return h
