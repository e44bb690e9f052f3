"""CAUSE: turns the whole query and key width before splitting, so halves and frequencies run across the heads"""
from .attention import attention, causal_mask
from .heads import merge_heads, repeat_kv, split_heads
from .normalization import rms_norm
from .positions import apply_rope_half, rope_angles
from .feedforward import swiglu

# shows: n_heads=2, T > 1 and random weights; n_heads=1 is right


def llama_block(h, weights, n_heads, n_kv_heads, positions, base=10000.0, eps=1e-6):
    x = rms_norm(h, weights["norm1.weight"], eps)
    q = x @ weights["attn.wq"].T
    k = x @ weights["attn.wk"].T
    v = x @ weights["attn.wv"].T
    q = apply_rope_half(q, rope_angles(positions, q.shape[-1], base))
    k = apply_rope_half(k, rope_angles(positions, k.shape[-1], base))
    q, k, v = split_heads(q, n_heads), split_heads(k, n_kv_heads), split_heads(v, n_kv_heads)
    r = n_heads // n_kv_heads
    y = attention(q, repeat_kv(k, r), repeat_kv(v, r), causal_mask(x.shape[1], x.shape[1]))
    h = h + merge_heads(y) @ weights["attn.wo"].T
    z = rms_norm(h, weights["norm2.weight"], eps)
    return h + swiglu(z, {a: weights["mlp." + a] for a in ("w_gate", "w_up", "w_down")})
