"""Right answers to the lesson on heads, written in other ways."""

import math

import torch
import torch.nn.functional as F
from torch import Tensor

from grader.judge.variation import Variations

variations = Variations("heads")


@variations.right("split_heads")
def view_and_permute(x: Tensor, n_heads: int) -> Tensor:
    """A view with four axes, permuted."""
    batch, seq, width = x.size()
    if width % n_heads != 0:
        raise ValueError("width not divisible")
    return x.view(batch, seq, n_heads, width // n_heads).permute(0, 2, 1, 3)


@variations.right("split_heads")
def unflattened(x: Tensor, n_heads: int) -> Tensor:
    """Unflattens the last axis and copies the result."""
    if x.shape[-1] % n_heads:
        raise ValueError("width not divisible")
    return torch.unflatten(x, -1, (n_heads, x.shape[-1] // n_heads)).swapaxes(-3, -2).contiguous()


@variations.right("split_heads")
def chunks_stacked(x: Tensor, n_heads: int) -> Tensor:
    """Cuts the features into chunks and stacks them."""
    if x.shape[2] // n_heads * n_heads != x.shape[2]:
        raise ValueError("width not divisible")
    return torch.stack(x.chunk(n_heads, dim=2), dim=1)


@variations.right("split_heads")
def filled_head_by_head(x: Tensor, n_heads: int) -> Tensor:
    """Fills a buffer, one head after another."""
    k, rest = divmod(x.shape[-1], n_heads)
    if rest:
        raise ValueError("width not divisible")
    out = x.new_empty(x.shape[0], n_heads, x.shape[1], k)
    for h in range(n_heads):
        out[:, h] = x[..., h * k : (h + 1) * k]
    return out


@variations.right("split_heads")
def indexed_by_feature(x: Tensor, n_heads: int) -> Tensor:
    """Gathers the features with a table of indices."""
    if x.shape[-1] % n_heads != 0:
        raise ValueError("width not divisible")
    table = torch.arange(x.shape[-1]).view(n_heads, -1)
    return x[:, :, table].transpose(1, 2)


@variations.right("merge_heads")
def contiguous_view(x: Tensor) -> Tensor:
    """Copies into memory order before taking a view."""
    batch, count, seq, k = x.shape
    return x.transpose(1, 2).contiguous().view(batch, seq, count * k)


@variations.right("merge_heads")
def permuted_and_reshaped(x: Tensor) -> Tensor:
    """Permutes and reshapes."""
    return x.permute(0, 2, 1, 3).reshape(x.shape[0], x.shape[2], x.shape[1] * x.shape[3])


@variations.right("merge_heads")
def heads_concatenated(x: Tensor) -> Tensor:
    """Concatenates the heads along the features."""
    return torch.cat([x[:, h] for h in range(x.shape[1])], dim=-1)


@variations.right("merge_heads")
def filled_slices(x: Tensor) -> Tensor:
    """Fills the stretch of each head in a buffer."""
    batch, count, seq, k = x.shape
    out = torch.zeros(batch, seq, count * k, dtype=x.dtype)
    for h in range(count):
        out[:, :, h * k : (h + 1) * k] = x[:, h]
    return out


@variations.right("merge_heads")
def flattened_negative_axes(x: Tensor) -> Tensor:
    """Counts axes from the end."""
    return x.movedim(-3, -2).flatten(-2)


@variations.right("repeat_kv")
def expanded(x: Tensor, n_repeats: int) -> Tensor:
    """Expands a new axis behind the heads and merges the two."""
    if n_repeats < 1:
        raise ValueError("at least one repeat")
    batch, count, seq, k = x.shape
    return x[:, :, None].expand(batch, count, n_repeats, seq, k).reshape(batch, count * n_repeats, seq, k)


@variations.right("repeat_kv")
def same_tensor_for_one(x: Tensor, n_repeats: int) -> Tensor:
    """Returns its argument for one repeat."""
    if n_repeats <= 0:
        raise ValueError("at least one repeat")
    return x if n_repeats == 1 else torch.repeat_interleave(x, repeats=n_repeats, dim=-3)


@variations.right("repeat_kv")
def indexed(x: Tensor, n_repeats: int) -> Tensor:
    """Takes head h // n by index."""
    if not n_repeats >= 1:
        raise ValueError("at least one repeat")
    return x[:, torch.arange(x.shape[1] * n_repeats) // n_repeats]


@variations.right("repeat_kv")
def stacked(x: Tensor, n_repeats: int) -> Tensor:
    """Stacks the copies behind the heads."""
    if n_repeats < 1:
        raise ValueError("at least one repeat")
    return torch.stack([x] * n_repeats, dim=2).flatten(1, 2)


@variations.right("repeat_kv")
def tiled_in_between(x: Tensor, n_repeats: int) -> Tensor:
    """Tiles a new axis."""
    if n_repeats < 1:
        raise ValueError("at least one repeat")
    return x.unsqueeze(2).repeat(1, 1, n_repeats, 1, 1).flatten(1, 2)


@variations.right("repeat_kv")
def head_by_head(x: Tensor, n_repeats: int) -> Tensor:
    """Collects the heads in a list."""
    if n_repeats < 1:
        raise ValueError("at least one repeat")
    return torch.cat([x[:, g : g + 1] for g in range(x.shape[1]) for _ in range(n_repeats)], dim=1)


def triangle(x: Tensor, mask: Tensor | None) -> Tensor:
    """The mask that counts."""
    return torch.ones(x.shape[1], x.shape[1], dtype=torch.bool).tril() if mask is None else mask


def weighted(scores: Tensor, visible: Tensor) -> Tensor:
    """A masked softmax with zeros for empty rows."""
    return scores.masked_fill(~visible, torch.finfo(scores.dtype).min).softmax(-1) * visible


def affine(x: Tensor, weights: dict[str, Tensor], letter: str) -> Tensor:
    """One projection."""
    return F.linear(x, weights["w" + letter], weights.get("b" + letter))


@variations.right("multi_head_attention")
def one_fused_product(x: Tensor, weights: dict[str, Tensor], n_heads: int, mask: Tensor | None = None) -> Tensor:
    """Queries, keys and values in one matrix product, absent biases as zeros."""
    batch, seq, width = x.shape
    if width % n_heads:
        raise ValueError("width not divisible")
    zeros = x.new_zeros(width)
    fused = torch.cat([weights["wq"], weights["wk"], weights["wv"]])
    bias = torch.cat([weights.get(name, zeros) for name in ("bq", "bk", "bv")])
    qkv = torch.addmm(bias, x.reshape(batch * seq, width), fused.T)
    q, k, v = qkv.view(batch, seq, 3, n_heads, width // n_heads).permute(2, 0, 3, 1, 4)
    weight = weighted(q @ k.mT / math.sqrt(q.shape[-1]), triangle(x, mask))
    return affine((weight @ v).transpose(1, 2).reshape(batch, seq, width), weights, "o")


@variations.right("multi_head_attention")
def loop_over_heads(x: Tensor, weights: dict[str, Tensor], n_heads: int, mask: Tensor | None = None) -> Tensor:
    """One head at a time, each projected by its block of wo and added up."""
    batch, seq, width = x.shape
    if width % n_heads != 0:
        raise ValueError("width not divisible")
    k = width // n_heads
    visible = triangle(x, mask).expand(batch, n_heads, seq, seq)
    total = torch.zeros_like(x)
    for h in range(n_heads):
        rows = slice(h * k, (h + 1) * k)
        query, key, value = (
            x @ weights[f"w{n}"][rows].T + (weights[f"b{n}"][rows] if f"b{n}" in weights else 0) for n in "qkv"
        )
        weight = weighted(query @ key.mT * k**-0.5, visible[:, h])
        total = total + weight @ value @ weights["wo"][:, rows].T
    return total + weights["bo"] if "bo" in weights else total


@variations.right("multi_head_attention")
def by_einsum(x: Tensor, weights: dict[str, Tensor], n_heads: int, mask: Tensor | None = None) -> Tensor:
    """Everything by einsum, heads behind time."""
    batch, seq, width = x.shape
    if width % n_heads:
        raise ValueError("width not divisible")
    q, k, v = (affine(x, weights, n).view(batch, seq, n_heads, width // n_heads) for n in "qkv")
    scores = torch.einsum("bqhc,bkhc->bhqk", q, k) / (width / n_heads) ** 0.5
    context = torch.einsum("bhqk,bkhc->bqhc", weighted(scores, triangle(x, mask)), v)
    return affine(context.flatten(2), weights, "o")


@variations.right("multi_head_attention")
def heads_folded_into_the_batch(
    x: Tensor, weights: dict[str, Tensor], n_heads: int, mask: Tensor | None = None
) -> Tensor:
    """Batch and heads in one axis, products by bmm, in float32 or better."""
    batch, seq, width = x.shape
    if width % n_heads:
        raise ValueError("width not divisible")
    wide = torch.promote_types(x.dtype, torch.float32)
    w = {name: weight.to(wide) for name, weight in weights.items()}
    q, k, v = (
        affine(x.to(wide), w, n).view(batch, seq, n_heads, width // n_heads).transpose(1, 2).flatten(0, 1)
        for n in "qkv"
    )
    visible = triangle(x, mask).expand(batch, n_heads, seq, seq).flatten(0, 1)
    context = torch.bmm(weighted(torch.bmm(q, k.mT) / math.sqrt(width // n_heads), visible), v)
    merged = torch.unflatten(context, 0, (batch, n_heads)).transpose(1, 2).flatten(2)
    return affine(merged, w, "o").to(x.dtype)


@variations.right("multi_head_attention")
def scale_in_the_queries_float32(
    x: Tensor, weights: dict[str, Tensor], n_heads: int, mask: Tensor | None = None
) -> Tensor:
    """Computes in float32 whatever comes in; minus infinity, and NaN rows replaced."""
    if x.shape[-1] % n_heads:
        raise ValueError("width not divisible")
    w = {name: weight.float() for name, weight in weights.items()}
    q, k, v = (
        torch.unflatten(affine(x.float(), w, n), -1, (n_heads, x.shape[-1] // n_heads)).transpose(1, 2) for n in "qkv"
    )
    scores = q.div(math.sqrt(q.shape[-1])) @ k.mT
    weight = scores.masked_fill(triangle(x, mask).logical_not(), -torch.inf).softmax(-1).nan_to_num()
    return affine((weight @ v).transpose(1, 2).flatten(2), w, "o").type_as(x)


@variations.right("multi_head_attention")
def value_bias_at_the_end(x: Tensor, weights: dict[str, Tensor], n_heads: int, mask: Tensor | None = None) -> Tensor:
    """Leaves the key bias out, which only shifts whole rows of scores, and adds the value bias at the end."""
    width = x.shape[-1]
    if width % n_heads:
        raise ValueError("width not divisible")
    q = torch.unflatten(affine(x, weights, "q"), -1, (n_heads, width // n_heads)).transpose(1, 2)
    k, v = (torch.unflatten((x @ weights[n].T), -1, (n_heads, width // n_heads)).transpose(1, 2) for n in ("wk", "wv"))
    weight = weighted(q @ k.mT * q.shape[-1] ** -0.5, triangle(x, mask))
    context = weight @ v
    if "bv" in weights:
        context = context + weight.sum(-1, keepdim=True) * weights["bv"].view(n_heads, 1, -1)
    return affine(context.transpose(1, 2).flatten(2), weights, "o")


def check_groups(n_heads: int, n_kv_heads: int) -> int:
    """The size of a group."""
    if n_heads % n_kv_heads != 0:
        raise ValueError("heads not divisible")
    return n_heads // n_kv_heads


@variations.right("grouped_query_attention")
def grouped_axes(
    x: Tensor, weights: dict[str, Tensor], n_heads: int, n_kv_heads: int, mask: Tensor | None = None
) -> Tensor:
    """Groups as an axis of their own; keys and values are never copied."""
    group = check_groups(n_heads, n_kv_heads)
    batch, seq, width = x.shape
    k_width = width // n_heads
    q = affine(x, weights, "q").view(batch, seq, n_kv_heads, group, k_width)
    k, v = (affine(x, weights, n).view(batch, seq, n_kv_heads, k_width) for n in "kv")
    scores = torch.einsum("bqgmc,bkgc->bgmqk", q, k) / math.sqrt(k_width)
    visible = torch.unflatten(triangle(x, mask).expand(batch, n_heads, seq, seq), 1, (n_kv_heads, group))
    context = torch.einsum("bgmqk,bkgc->bqgmc", weighted(scores, visible), v)
    return affine(context.flatten(2), weights, "o")


@variations.right("grouped_query_attention")
def weights_repeated(
    x: Tensor, weights: dict[str, Tensor], n_heads: int, n_kv_heads: int, mask: Tensor | None = None
) -> Tensor:
    """Repeats the rows of wk and wv, then computes multi-head attention."""
    group = check_groups(n_heads, n_kv_heads)
    k_width = x.shape[-1] // n_heads
    full = dict(weights)
    for name in ("wk", "wv", "bk", "bv"):
        if name in full:
            full[name] = torch.unflatten(full[name], 0, (n_kv_heads, k_width)).repeat_interleave(group, 0).flatten(0, 1)
    result: Tensor = by_einsum(x, full, n_heads, mask)
    return result


@variations.right("grouped_query_attention")
def query_head_by_query_head(
    x: Tensor, weights: dict[str, Tensor], n_heads: int, n_kv_heads: int, mask: Tensor | None = None
) -> Tensor:
    """Loops over the query heads and looks up the shared head by index."""
    group = check_groups(n_heads, n_kv_heads)
    q = affine(x, weights, "q").chunk(n_heads, -1)
    k, v = (affine(x, weights, n).chunk(n_kv_heads, -1) for n in "kv")
    visible = triangle(x, mask).expand(x.shape[0], n_heads, x.shape[1], x.shape[1])
    heads = []
    for h in range(n_heads):
        scores = q[h] @ k[h // group].mT / math.sqrt(q[h].shape[-1])
        heads.append(weighted(scores, visible[:, h]) @ v[h // group])
    return affine(torch.cat(heads, -1), weights, "o")


@variations.right("grouped_query_attention")
def one_fused_product_in_float64(
    x: Tensor, weights: dict[str, Tensor], n_heads: int, n_kv_heads: int, mask: Tensor | None = None
) -> Tensor:
    """One product for queries, keys and values, in float64."""
    group = check_groups(n_heads, n_kv_heads)
    w = {name: weight.double() for name, weight in weights.items()}
    k_width = x.shape[-1] // n_heads
    fused = x.double() @ torch.cat((w["wq"], w["wk"], w["wv"])).mT
    parts = fused.tensor_split((x.shape[-1], x.shape[-1] + n_kv_heads * k_width), dim=-1)
    q, k, v = (
        torch.unflatten((part + w.get(f"b{n}", torch.zeros(()))), -1, (part.shape[-1] // k_width, k_width)).transpose(
            1, 2
        )
        for n, part in zip("qkv", parts, strict=True)
    )
    k, v = (t.repeat_interleave(group, dim=1) for t in (k, v))
    weight = weighted(q @ k.mT / math.sqrt(k_width), triangle(x, mask))
    return affine((weight @ v).transpose(1, 2).flatten(2), w, "o").to(x.dtype)


@variations.right("grouped_query_attention")
def broadcast_groups(
    x: Tensor, weights: dict[str, Tensor], n_heads: int, n_kv_heads: int, mask: Tensor | None = None
) -> Tensor:
    """Five axes: keys and values broadcast over the members of a group; scores in float32."""
    group = check_groups(n_heads, n_kv_heads)
    batch, seq, width = x.shape
    q = affine(x, weights, "q").view(batch, seq, n_kv_heads, group, width // n_heads).permute(0, 2, 3, 1, 4)
    k, v = (
        affine(x, weights, n).view(batch, seq, n_kv_heads, 1, width // n_heads).permute(0, 2, 3, 1, 4) for n in "kv"
    )
    visible = triangle(x, mask).expand(batch, n_heads, seq, seq).view(batch, n_kv_heads, group, seq, seq)
    weight = weighted((q @ k.mT).float() / math.sqrt(width // n_heads), visible).to(v.dtype)
    return affine((weight @ v).permute(0, 3, 1, 2, 4).reshape(batch, seq, width), weights, "o")
