"""CAUSE: applies RoPE to the values as well as to queries and keys"""
from .attention import attention, causal_mask
from .heads import merge_heads, repeat_kv, split_heads
from .normalization import rms_norm
from .positions import apply_rope_half, rope_angles
from .feedforward import swiglu

# shows: adding 5 to all positions must change nothing, here it does


def llama_block(h, weights, n_heads, n_kv_heads, positions, base=10000.0, eps=1e-6):
    B, T, D = h.shape
    y = rms_norm(h, weights["norm1.weight"], eps=eps)
    theta = rope_angles(positions, D // n_heads, base)
    qkv = []
    for name, heads in (("wq", n_heads), ("wk", n_kv_heads), ("wv", n_kv_heads)):
        t = split_heads(y @ weights["attn." + name].T, heads)
        t = apply_rope_half(t, theta)
        if heads != n_heads:
            t = repeat_kv(t, n_heads // heads)
        qkv.append(t)
    ctx = attention(*qkv, mask=causal_mask(T, T))
    h = h + merge_heads(ctx) @ weights["attn.wo"].T
    y = rms_norm(h, weights["norm2.weight"], eps=eps)
    return h + swiglu(y, {k[4:]: w for k, w in weights.items() if k.startswith("mlp.")})
