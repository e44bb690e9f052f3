"""No mask at all: query i simply gets the keys 0..i, one query after the other."""
import math
import torch
from .feedforward import swiglu
from .normalization import rms_norm
from .positions import apply_rope_half, rope_angles


def llama_block(h, weights, n_heads, n_kv_heads, positions, base=10000.0, eps=1e-6):
    B, T, D = h.shape
    if D % n_heads or n_heads % n_kv_heads:
        raise ValueError("n_heads must divide D, n_kv_heads must divide n_heads")
    K, G = D // n_heads, n_kv_heads
    work = torch.promote_types(h.dtype, torch.float32)
    needed = ("norm1.weight", "attn.wq", "attn.wk", "attn.wv", "attn.wo",
              "norm2.weight", "mlp.w_gate", "mlp.w_up", "mlp.w_down")
    w = {key: weights[key].to(work) for key in needed}
    stream = h.to(work)
    angles = rope_angles(positions, K, base)

    y = rms_norm(stream, w["norm1.weight"], eps)
    # (B, heads, T, K)
    q = apply_rope_half((y @ w["attn.wq"].T).reshape(B, T, n_heads, K).transpose(1, 2), angles)
    k = apply_rope_half((y @ w["attn.wk"].T).reshape(B, T, G, K).transpose(1, 2), angles)
    v = (y @ w["attn.wv"].T).reshape(B, T, G, K).transpose(1, 2)
    q = q.reshape(B, G, n_heads // G, T, K)

    rows = []
    for i in range(T):
        scores = torch.einsum("bgnk,bgsk->bgns", q[..., i, :], k[..., :i + 1, :]) / math.sqrt(K)
        context = torch.einsum("bgns,bgsk->bgnk", scores.softmax(-1), v[..., :i + 1, :])
        rows.append(context.reshape(B, D))
    stream = stream + torch.stack(rows, dim=1) @ w["attn.wo"].T

    mlp = {"w_gate": w["mlp.w_gate"], "w_up": w["mlp.w_up"], "w_down": w["mlp.w_down"]}
    return (stream + swiglu(rms_norm(stream, w["norm2.weight"], eps), mlp)).to(h.dtype)
