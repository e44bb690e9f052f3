"""CAUSE: never hands base on to rope_angles; CAUSE: never hands eps on to rms_norm"""
from .attention import attention, causal_mask
from .heads import merge_heads, repeat_kv, split_heads
from .normalization import rms_norm
from .positions import apply_rope_half, rope_angles
from .feedforward import swiglu

# shows: base=500000.0 or eps=0.1 give the same output as the defaults


def llama_block(h, weights, n_heads, n_kv_heads, positions, base=10000.0, eps=1e-6):
    def attend(x):
        q, k, v = (split_heads(x @ weights[f"attn.w{c}"].T, n) for c, n in zip("qkv", (n_heads, n_kv_heads, n_kv_heads)))
        a = rope_angles(positions, q.shape[-1])
        q, k = apply_rope_half(q, a), apply_rope_half(k, a)
        g = n_heads // n_kv_heads
        y = attention(q, repeat_kv(k, g), repeat_kv(v, g), causal_mask(x.shape[1], x.shape[1]))
        return merge_heads(y) @ weights["attn.wo"].T

    h = h + attend(rms_norm(h, weights["norm1.weight"]))
    mlp = {k.split(".")[1]: t for k, t in weights.items() if k.startswith("mlp.")}
    return h + swiglu(rms_norm(h, weights["norm2.weight"]), mlp)
