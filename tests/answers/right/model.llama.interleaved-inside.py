"""Re-sorts the rows of wq and wk to the interleaved layout and turns complex neighbours; the scores stay the same."""
import re
import torch
import torch.nn.functional as F


def _to_pairs(matrix, n):
    """Half layout (head, member, pair) to interleaved (head, pair, member)."""
    return matrix.reshape(n, 2, -1, matrix.shape[-1]).transpose(1, 2).reshape(matrix.shape)


def llama(tokens, weights, n_heads, n_kv_heads, base=10000.0, eps=1e-6):
    kind = weights["wte"].dtype
    up = torch.promote_types(kind, torch.float32)
    w = lambda key: weights[key].to(up)
    B, T = tokens.shape
    D = weights["wte"].shape[-1]
    if D % n_heads or n_heads % n_kv_heads:
        raise ValueError("numbers of heads do not divide")
    K = D // n_heads
    if K % 2:
        raise ValueError("the head width must be even")
    theta = torch.outer(torch.arange(T, dtype=torch.float64),
                        torch.pow(float(base), -torch.arange(K // 2, dtype=torch.float64) * 2 / K))
    turn = torch.complex(theta.cos(), theta.sin()).to(torch.complex128 if up is torch.float64 else torch.complex64)

    def rotated(y, matrix, n):
        z = (y @ _to_pairs(matrix, n).T).reshape(B, T, n, K // 2, 2)
        z = torch.complex(z[..., 0], z[..., 1]).transpose(1, 2) * turn
        return torch.view_as_real(z).flatten(-2)

    shut = torch.ones(T, T, dtype=torch.bool).triu(1)
    x = F.embedding(tokens, w("wte"))
    blocks = sorted({int(n) for key in weights for n in re.findall(r"^blocks\.(\d+)\.", key)})
    for p in (f"blocks.{n}." for n in blocks):
        y = F.rms_norm(x, (D,), w(p + "norm1.weight"), eps)
        q = rotated(y, w(p + "attn.wq"), n_heads).reshape(B, n_kv_heads, n_heads // n_kv_heads, T, K)
        k = rotated(y, w(p + "attn.wk"), n_kv_heads)
        v = (y @ w(p + "attn.wv").T).reshape(B, T, n_kv_heads, K)
        s = torch.einsum("bgnik,bgjk->bgnij", q, k).mul(K ** -0.5).masked_fill(shut, -torch.inf)
        c = torch.einsum("bgnij,bjgk->bignk", s.softmax(-1), v).reshape(B, T, D)
        x = x + c @ w(p + "attn.wo").T
        y = F.rms_norm(x, (D,), w(p + "norm2.weight"), eps)
        x = x + (F.silu(y @ w(p + "mlp.w_gate").T) * (y @ w(p + "mlp.w_up").T)) @ w(p + "mlp.w_down").T
    x = F.rms_norm(x, (D,), w("norm_f.weight"), eps)
    return (x @ w("lm_head" if "lm_head" in weights else "wte").T).to(kind)
