"""Uses the pieces of this lesson and the last one: split, repeat, attention, merge."""
import torch
import torch.nn.functional as F
from .attention import attention, causal_mask
from .heads import merge_heads, repeat_kv, split_heads


def grouped_query_attention(x, weights, n_heads, n_kv_heads, mask=None):
    repeats, left = divmod(n_heads, n_kv_heads)
    if left:
        raise ValueError("query heads cannot be shared out evenly")
    if mask is None:
        mask = causal_mask(x.shape[-2], x.shape[-2])
    kind = x.dtype
    work = torch.promote_types(kind, torch.float32)
    x, weights = x.to(work), {name: tensor.to(work) for name, tensor in weights.items()}
    q = split_heads(F.linear(x, weights["wq"], weights.get("bq")), n_heads)
    k = split_heads(F.linear(x, weights["wk"], weights.get("bk")), n_kv_heads)
    v = split_heads(F.linear(x, weights["wv"], weights.get("bv")), n_kv_heads)
    context = attention(q, repeat_kv(k, repeats), repeat_kv(v, repeats), mask)
    return F.linear(merge_heads(context), weights["wo"], weights.get("bo")).to(kind)
