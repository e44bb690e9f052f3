"""CAUSE: builds the angles from arange(T) and ignores positions"""
import torch
from .attention import attention, causal_mask
from .heads import merge_heads, repeat_kv, split_heads
from .normalization import rms_norm
from .positions import apply_rope_half, rope_angles
from .feedforward import swiglu

# shows: positions = tensor([0, 3, 10]) gives the output of tensor([0, 1, 2]); a common offset hides it


def llama_block(h, weights, n_heads, n_kv_heads, positions, base=10000.0, eps=1e-6):
    bsz, seqlen, dim = h.shape
    norm_h = rms_norm(h, weights["norm1.weight"], eps)
    xq = split_heads(norm_h @ weights["attn.wq"].T, n_heads)
    xk = split_heads(norm_h @ weights["attn.wk"].T, n_kv_heads)
    xv = split_heads(norm_h @ weights["attn.wv"].T, n_kv_heads)
    freqs = rope_angles(torch.arange(seqlen), dim // n_heads, base)
    xq = apply_rope_half(xq, freqs)
    xk = apply_rope_half(xk, freqs)
    n_rep = n_heads // n_kv_heads
    out = attention(xq, repeat_kv(xk, n_rep), repeat_kv(xv, n_rep), causal_mask(seqlen, seqlen))
    h = h + merge_heads(out) @ weights["attn.wo"].T
    ff_in = rms_norm(h, weights["norm2.weight"], eps)
    mlp = {"w_gate": weights["mlp.w_gate"], "w_up": weights["mlp.w_up"], "w_down": weights["mlp.w_down"]}
    return h + swiglu(ff_in, mlp)
