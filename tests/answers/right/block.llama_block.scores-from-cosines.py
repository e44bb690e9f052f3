"""Never rotates: adds cos(difference) and sin(difference) terms of the two halves straight into the scores."""
import torch
from .attention import attention_weights, causal_mask
from .block import pre_norm
from .feedforward import swiglu
from .heads import merge_heads, repeat_kv, split_heads
from .normalization import rms_norm


def llama_block(h, weights, n_heads, n_kv_heads, positions, base=10000.0, eps=1e-6):
    if n_heads % n_kv_heads:
        raise ValueError("n_heads is no multiple of n_kv_heads")
    kind = h.dtype
    work = torch.promote_types(kind, torch.float32)
    w = {}
    for key in ("norm1.weight", "norm2.weight", "attn.wq", "attn.wk", "attn.wv", "attn.wo",
                "mlp.w_gate", "mlp.w_up", "mlp.w_down"):
        w[key] = weights[key].to(work)
    time = h.shape[1]

    def attend(y):
        q = split_heads(y @ w["attn.wq"].T, n_heads)
        k = repeat_kv(split_heads(y @ w["attn.wk"].T, n_kv_heads), n_heads // n_kv_heads)
        v = repeat_kv(split_heads(y @ w["attn.wv"].T, n_kv_heads), n_heads // n_kv_heads)
        width = q.shape[-1]
        if width % 2:
            raise ValueError("odd head width")
        frequency = float(base) ** (-torch.arange(0, width, 2, dtype=torch.float64) / width)
        apart = (positions[:, None] - positions[None, :]).double()
        angle = apart[..., None] * frequency                       # (T, T, K/2)
        cos, sin = angle.cos().to(work), angle.sin().to(work)
        q1, q2 = q.chunk(2, -1)
        k1, k2 = k.chunk(2, -1)
        scores = (torch.einsum("bhik,bhjk,ijk->bhij", q1, k1, cos)
                  + torch.einsum("bhik,bhjk,ijk->bhij", q2, k2, cos)
                  + torch.einsum("bhik,bhjk,ijk->bhij", q1, k2, sin)
                  - torch.einsum("bhik,bhjk,ijk->bhij", q2, k1, sin))
        probabilities = attention_weights(scores / width ** 0.5, causal_mask(time, time))
        return merge_heads(probabilities @ v) @ w["attn.wo"].T

    def think(y):
        return swiglu(y, {"w_gate": w["mlp.w_gate"], "w_up": w["mlp.w_up"], "w_down": w["mlp.w_down"]})

    stream = pre_norm(h.to(work), lambda s: rms_norm(s, w["norm1.weight"], eps), attend)
    return pre_norm(stream, lambda s: rms_norm(s, w["norm2.weight"], eps), think).to(kind)
