"""Two pre_norm calls around the earlier exercises, each fed the keys behind its prefix."""
from functools import partial
import torch
from .block import pre_norm
from .feedforward import feed_forward
from .heads import multi_head_attention
from .normalization import layer_norm


def _below(weights, prefix):
    return {key.removeprefix(prefix): value for key, value in weights.items() if key.startswith(prefix)}


def gpt2_block(h, weights, n_heads):
    work = torch.promote_types(h.dtype, torch.float32)
    weights = {key: value.to(work) for key, value in weights.items()}

    def norm(name):
        return partial(layer_norm, gamma=weights[name + ".gamma"], beta=weights[name + ".beta"])

    attend = partial(multi_head_attention, weights=_below(weights, "attn."), n_heads=n_heads)
    think = partial(feed_forward, weights=_below(weights, "mlp."))
    return pre_norm(pre_norm(h.to(work), norm("ln1"), attend), norm("ln2"), think).to(h.dtype)
