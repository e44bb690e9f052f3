"""Packs the three input projections into one matrix and calls nn.Linear modules functionally."""
import torch
from torch import nn
from torch.func import functional_call
from .attention import attention_scores, attention_weights, causal_mask


def _linear(inputs, matrix, bias):
    shell = nn.Linear(matrix.shape[1], matrix.shape[0], device="meta")
    return functional_call(shell, {"weight": matrix, "bias": bias}, (inputs,))


def multi_head_attention(x, weights, n_heads, mask=None):
    if x.size(-1) % n_heads:
        raise ValueError("heads do not divide the model width")

    dtype, x = x.dtype, x.to(torch.promote_types(x.dtype, torch.float32))
    weights = {name: tensor.to(x.dtype) for name, tensor in weights.items()}

    def bias(name):
        given = weights.get(name)
        return x.new_zeros(x.size(-1)) if given is None else given

    matrix = torch.cat([weights["wq"], weights["wk"], weights["wv"]])
    packed = _linear(x, matrix, torch.cat([bias("bq"), bias("bk"), bias("bv")]))
    packed = packed.unflatten(-1, (3, n_heads, x.size(-1) // n_heads))
    q, k, v = packed.permute(2, 0, 3, 1, 4)
    mask = causal_mask(x.size(1), x.size(1)) if mask is None else mask
    context = attention_weights(attention_scores(q, k), mask) @ v
    return _linear(context.transpose(1, 2).flatten(2), weights["wo"], bias("bo")).to(dtype)
