"""CAUSE: makes the causal mask by comparing positions instead of indices"""
from .attention import attention
from .heads import merge_heads, repeat_kv, split_heads
from .normalization import rms_norm
from .positions import apply_rope_half, rope_angles
from .feedforward import swiglu

# shows: positions = tensor([4, 2, 0]): token 0 sees all three; increasing positions are right


def llama_block(h, weights, n_heads, n_kv_heads, positions, base=10000.0, eps=1e-6):
    w = weights
    mask = positions[:, None] >= positions[None, :]
    n1 = rms_norm(h, w["norm1.weight"], eps)
    q = split_heads(n1 @ w["attn.wq"].T, n_heads)
    k = split_heads(n1 @ w["attn.wk"].T, n_kv_heads)
    v = split_heads(n1 @ w["attn.wv"].T, n_kv_heads)
    ang = rope_angles(positions, q.size(-1), base)
    rep = n_heads // n_kv_heads
    a = attention(apply_rope_half(q, ang), repeat_kv(apply_rope_half(k, ang), rep), repeat_kv(v, rep), mask)
    h = h + merge_heads(a) @ w["attn.wo"].T
    n2 = rms_norm(h, w["norm2.weight"], eps)
    return h + swiglu(n2, {"w_gate": w["mlp.w_gate"], "w_up": w["mlp.w_up"], "w_down": w["mlp.w_down"]})
