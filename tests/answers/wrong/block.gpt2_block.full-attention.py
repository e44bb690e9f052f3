"""CAUSE: passes a mask of ones, so a token sees the future"""
import torch
from .block import pre_norm
from .normalization import layer_norm
from .heads import multi_head_attention
from .feedforward import feed_forward

# shows: changing h[:, -1] changes the output at position 0


def gpt2_block(h, weights, n_heads):
    T = h.shape[1]
    visible = torch.ones(T, T, dtype=torch.bool)

    def take(prefix):
        return {k.split(".", 1)[1]: v for k, v in weights.items() if k.split(".", 1)[0] == prefix}

    ln1, ln2, attn, mlp = map(take, ("ln1", "ln2", "attn", "mlp"))
    h = pre_norm(h, lambda z: layer_norm(z, **ln1), lambda z: multi_head_attention(z, attn, n_heads, visible))
    return pre_norm(h, lambda z: layer_norm(z, **ln2), lambda z: feed_forward(z, mlp))
