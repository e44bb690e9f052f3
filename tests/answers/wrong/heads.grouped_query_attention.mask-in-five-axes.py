"""CAUSE: applies the mask to 5-axis scores (B, G, R, T, T) without regrouping it, so its batch axis lands on the kv heads"""
import math
import torch
from .attention import attention_weights, causal_mask

# shows: a mask (B, 1, T, T) with B == n_kv_heads: sample b's mask is used for kv head b; a (T, T) mask is fine


def grouped_query_attention(x, weights, n_heads, n_kv_heads, mask=None):
    B, T, D = x.shape
    if D % n_heads != 0:
        raise ValueError("width")
    if n_heads % n_kv_heads != 0:
        raise ValueError("groups")
    K, R = D // n_heads, n_heads // n_kv_heads

    def linear(name, t):
        y = torch.einsum("...i,oi->...o", t, weights["w" + name])
        if "b" + name in weights:
            y = y + weights["b" + name]
        return y

    q = linear("q", x).reshape(B, T, n_kv_heads, R, K).permute(0, 2, 3, 1, 4)
    k = linear("k", x).reshape(B, T, n_kv_heads, 1, K).permute(0, 2, 3, 1, 4)
    v = linear("v", x).reshape(B, T, n_kv_heads, 1, K).permute(0, 2, 3, 1, 4)
    scores = q @ k.transpose(-1, -2) / math.sqrt(K)
    if mask is None:
        mask = causal_mask(T, T)
    ctx = attention_weights(scores, mask) @ v
    return linear("o", ctx.permute(0, 3, 1, 2, 4).reshape(B, T, D))
