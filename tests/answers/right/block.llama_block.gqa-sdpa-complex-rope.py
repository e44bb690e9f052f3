"""Complex rotation of the halves, torch's rms norm and its fused attention with grouped heads switched on."""
import torch
import torch.nn.functional as F


def llama_block(h, weights, n_heads, n_kv_heads, positions, base=10000.0, eps=1e-6):
    b, t, d = h.shape
    if d % n_heads or n_heads % n_kv_heads:
        raise ValueError("heads do not divide")
    k_width = d // n_heads
    if k_width % 2:
        raise ValueError("RoPE needs an even head width")
    up = torch.promote_types(h.dtype, torch.float32)
    w = lambda key: weights[key].to(up)

    frequency = base ** (-torch.arange(0, k_width, 2, dtype=torch.float64, device=h.device) / k_width)
    theta = torch.outer(positions.double(), frequency)
    turn = torch.polar(torch.ones_like(theta), theta).to(torch.complex128 if up == torch.float64 else torch.complex64)

    def rotate(z):
        first, second = z.chunk(2, dim=-1)
        z = torch.complex(first.contiguous(), second.contiguous()) * turn
        return torch.cat([z.real, z.imag], dim=-1)

    def heads(z, n):
        return z.reshape(b, t, n, k_width).transpose(1, 2)

    x = h.to(up)
    y = F.rms_norm(x, (d,), w("norm1.weight"), eps)
    q = rotate(heads(y @ w("attn.wq").T, n_heads))
    k = rotate(heads(y @ w("attn.wk").T, n_kv_heads))
    v = heads(y @ w("attn.wv").T, n_kv_heads)
    c = F.scaled_dot_product_attention(q, k, v, is_causal=True, enable_gqa=n_heads != n_kv_heads)
    x = x + c.transpose(1, 2).reshape(b, t, d) @ w("attn.wo").T
    y = F.rms_norm(x, (d,), w("norm2.weight"), eps)
    y = (F.silu(y @ w("mlp.w_gate").T) * (y @ w("mlp.w_up").T)) @ w("mlp.w_down").T
    return (x + y).to(h.dtype)
