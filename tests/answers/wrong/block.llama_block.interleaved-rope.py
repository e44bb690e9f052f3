"""CAUSE: turns the interleaved pairs, the block wants the half layout"""
from .attention import attention, causal_mask
from .heads import merge_heads, repeat_kv, split_heads
from .normalization import rms_norm
from .positions import apply_rope, rope_angles
from .feedforward import swiglu

# shows: K=4 and random weights, T > 1; K=2 is right


def llama_block(h, weights, n_heads, n_kv_heads, positions, base=10000.0, eps=1e-6):
    x = rms_norm(h, weights["norm1.weight"], eps)
    q = split_heads(x @ weights["attn.wq"].T, n_heads)
    k = split_heads(x @ weights["attn.wk"].T, n_kv_heads)
    v = split_heads(x @ weights["attn.wv"].T, n_kv_heads)
    angles = rope_angles(positions, q.shape[-1], base)
    q, k = apply_rope(q, angles), apply_rope(k, angles)
    n = n_heads // n_kv_heads
    o = attention(q, repeat_kv(k, n), repeat_kv(v, n), causal_mask(h.shape[1], h.shape[1]))
    h = h + merge_heads(o) @ weights["attn.wo"].T
    x = rms_norm(h, weights["norm2.weight"], eps)
    return h + swiglu(x, {s: weights["mlp." + s] for s in ("w_gate", "w_up", "w_down")})
