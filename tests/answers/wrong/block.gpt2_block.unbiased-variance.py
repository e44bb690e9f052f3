"""CAUSE: writes LayerNorm with torch.var, which divides by D - 1 by default; CAUSE: adds the sum in place into the caller's h"""
import torch
from .heads import multi_head_attention
from .feedforward import feed_forward

# shows: D=4: normalized values are too small by sqrt(3/4); h.clone() before the call differs from h after it


def _ln(x, g, b, eps=1e-5):
    mu = x.mean(-1, keepdim=True)
    return (x - mu) / torch.sqrt(x.var(-1, keepdim=True) + eps) * g + b


def gpt2_block(h, weights, n_heads):
    p = lambda pre: {k[len(pre):]: v for k, v in weights.items() if k.startswith(pre)}
    att = multi_head_attention(_ln(h, weights["ln1.gamma"], weights["ln1.beta"]), p("attn."), n_heads)
    h += att
    return h + feed_forward(_ln(h, weights["ln2.gamma"], weights["ln2.beta"]), p("mlp."))
