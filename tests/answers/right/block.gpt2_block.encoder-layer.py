"""Loads the weights into torch's pre-norm encoder layer with a causal mask, by a functional call."""
import torch
import torch.nn.functional as F
from torch import nn
from torch.func import functional_call


def gpt2_block(h, weights, n_heads):
    batch, time, width = h.shape
    if width % n_heads:
        raise ValueError(f"width {width} is not divisible by {n_heads} heads")
    work = torch.promote_types(h.dtype, torch.float32)

    def get(key, size=None):
        if size is not None and key not in weights:
            return torch.zeros(size, dtype=work, device=h.device)
        return weights[key].to(work)

    parameters = {
        "self_attn.in_proj_weight": torch.cat([get("attn.w" + c) for c in "qkv"]),
        "self_attn.in_proj_bias": torch.cat([get("attn.b" + c, width) for c in "qkv"]),
        "self_attn.out_proj.weight": get("attn.wo"),
        "self_attn.out_proj.bias": get("attn.bo", width),
        "linear1.weight": get("mlp.w_in"), "linear1.bias": get("mlp.b_in"),
        "linear2.weight": get("mlp.w_out"), "linear2.bias": get("mlp.b_out"),
        "norm1.weight": get("ln1.gamma"), "norm1.bias": get("ln1.beta"),
        "norm2.weight": get("ln2.gamma"), "norm2.bias": get("ln2.beta"),
    }
    if h.numel() == 0:
        # nothing to compute, but the result still hangs together with all the inputs
        return h + sum(tensor.sum() * 0 for tensor in parameters.values()).to(h.dtype)
    layer = nn.TransformerEncoderLayer(
        width, n_heads, dim_feedforward=weights["mlp.w_in"].shape[0], dropout=0.0,
        activation=lambda u: F.gelu(u, approximate="tanh"), layer_norm_eps=1e-5,
        batch_first=True, norm_first=True, device="meta", dtype=work)
    shut = torch.ones(time, time, dtype=torch.bool, device=h.device).triu(1)
    return functional_call(layer, parameters, (h.to(work),), {"src_mask": shut}).to(h.dtype)
