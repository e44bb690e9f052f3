"""CAUSE: norm2 is skipped, the MLP reads the residual stream itself"""
from .attention import attention, causal_mask
from .heads import merge_heads, repeat_kv, split_heads
from .normalization import rms_norm
from .positions import apply_rope_half, rope_angles
from .feedforward import swiglu

# shows: norm2.weight = 0 should switch the MLP off, nothing happens


def llama_block(h, weights, n_heads, n_kv_heads, positions, base=10000.0, eps=1e-6):
    T = h.shape[-2]
    x = rms_norm(h, weights["norm1.weight"], eps)
    q = split_heads(x @ weights["attn.wq"].T, n_heads)
    k = split_heads(x @ weights["attn.wk"].T, n_kv_heads)
    v = split_heads(x @ weights["attn.wv"].T, n_kv_heads)
    ang = rope_angles(positions, h.shape[-1] // n_heads, base=base)
    q, k = (apply_rope_half(t, ang) for t in (q, k))
    k, v = (repeat_kv(t, n_heads // n_kv_heads) for t in (k, v))
    att = merge_heads(attention(q, k, v, causal_mask(T, T)))
    h = h + att @ weights["attn.wo"].T
    h = h + swiglu(h, {n: weights["mlp." + n] for n in ("w_gate", "w_up", "w_down")})
    return h
