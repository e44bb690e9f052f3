"""Everything in one function with torch's layer norm, fused causal attention and tanh GELU."""
import torch
import torch.nn.functional as F


def gpt2_block(h, weights, n_heads):
    b, t, d = h.shape
    if d % n_heads:
        raise ValueError("n_heads must divide the width")
    up = torch.promote_types(h.dtype, torch.float32)

    def w(name):
        tensor = weights.get(name)
        return None if tensor is None else tensor.to(up)

    x = h.to(up)
    y = F.layer_norm(x, (d,), w("ln1.gamma"), w("ln1.beta"), 1e-5)
    q, k, v = (
        F.linear(y, w(f"attn.w{c}"), w(f"attn.b{c}")).view(b, t, n_heads, d // n_heads).transpose(1, 2)
        for c in "qkv")
    context = F.scaled_dot_product_attention(q, k, v, is_causal=True)
    x = x + F.linear(context.transpose(1, 2).reshape(b, t, d), w("attn.wo"), w("attn.bo"))
    y = F.layer_norm(x, (d,), w("ln2.gamma"), w("ln2.beta"), 1e-5)
    y = F.gelu(F.linear(y, w("mlp.w_in"), w("mlp.b_in")), approximate="tanh")
    return (x + F.linear(y, w("mlp.w_out"), w("mlp.b_out"))).to(h.dtype)
