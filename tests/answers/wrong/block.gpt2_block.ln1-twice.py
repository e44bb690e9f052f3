"""CAUSE: copy and paste, ln1 is used before the MLP too"""
from .block import pre_norm
from .normalization import layer_norm
from .heads import multi_head_attention
from .feedforward import feed_forward

# shows: ln2.gamma = 3 changes nothing; with fresh weights (gains 1, biases 0) it cannot be seen


def gpt2_block(h, weights, n_heads):
    w = weights
    attn_w = {c: w["attn." + c] for c in ("wq", "wk", "wv", "wo", "bq", "bk", "bv", "bo")}
    mlp_w = {c: w["mlp." + c] for c in ("w_in", "b_in", "w_out", "b_out")}
    norm1 = lambda t: layer_norm(t, w["ln1.gamma"], w["ln1.beta"], 1e-5)
    norm2 = lambda t: layer_norm(t, w["ln1.gamma"], w["ln1.beta"], 1e-5)
    h = pre_norm(h, norm1, lambda t: multi_head_attention(t, attn_w, n_heads))
    return pre_norm(h, norm2, lambda t: feed_forward(t, mlp_w))
