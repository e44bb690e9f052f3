"""Known mistakes of attending with a cache of keys and values."""

import math

import torch
from torch import Tensor

from grader.judge.misconception import Wrong
from grader.misconceptions.decoding.shared import about, catalogue, drift

Cache = tuple[Tensor, Tensor]


@catalogue.flawed(
    "attend_cached",
    *about(
        "the-mask-of-a-chunk",
        {
            "not-causal": "Every new position sees all keys, later ones of its own chunk too.",
            "not-causal-with-a-cache": "The mask is left out where there is a cache; a chunk of several new positions "
            "still must not look ahead.",
            "anchored-at-the-first-key": "The mask starts at the first key, so that new positions see the oldest keys "
            "only; the last query sits at the last key.",
            "chunk-anchored-at-the-first-key": "A single query sees everything, but the mask of a chunk starts at the "
            "first key; its last query sits at the last key.",
            "hides-own-position": "A new position does not see itself; it should.",
            "sees-one-key-ahead": "A new position sees the key behind its own too: query i of a chunk stands at place "
            "T + i, counted from 0, and sees the keys up to that place.",
            "masked-after-softmax": "The weights of hidden keys are set to 0 after the softmax, so that the others no "
            "longer sum to 1; hide the scores before it.",
            "chunk-sees-one-row": "All positions of a chunk share the mask of the first one.",
        },
    ),
    *about(
        "growing-the-cache",
        {
            "cache-not-read": "The output is made of the new keys alone; the cached ones belong to it.",
            "new-not-read": "The output is made of the cached keys alone; the new ones belong to it.",
            "new-in-front": "The new positions stand before the cached ones; they belong behind them.",
            "keys-and-values-swapped": "Keys and values change places.",
            "cache-swapped": "The new cache holds values first; keys come first.",
        },
    ),
    *about(
        "growing-the-cache",
        {
            "old-cache-returned": "The cache comes back without the new positions, so that the next step misses them.",
            "new-pair-returned": "The cache that is returned holds the new positions only.",
            "returns-output-alone": "The output alone is returned; the new cache belongs to the result.",
        },
        fails="test_two_after_one",
    ),
    *about(
        "groups-and-scale-with-a-cache",
        {
            "repeated-heads-stored": "The cache holds keys and values repeated for every query head; it keeps Hkv "
            "heads.",
            "heads-merged": "The heads of the output are merged; it keeps the axes of q, `(B, H, Tq, K)`.",
        },
        fails="test_two_after_one",
    ),
    *about(
        "groups-and-scale-with-a-cache",
        {
            "repeated-before-storing": "New keys and values are repeated for every query head before they are put into "
            "the cache; it keeps Hkv heads, and what is read from it is repeated."
        },
        fails="test_without_a_cache",
    ),
    *about(
        "groups-and-scale-with-a-cache",
        {
            "tiled-groups": "Query heads read key-value heads in the order 0, 1, 0, 1; neighbours share a head.",
            "first-head-only": "Every query head reads key-value head 0; each group has a head of its own.",
            "no-scale": "The scores are not divided by the square root of the head width.",
            "divides-by-head-width": "The scores are divided by the head width itself: the root is missing, or the "
            "scale is applied twice.",
            "root-of-model-width": "The scores are divided by the root of the width of all heads together; the width "
            "of one head belongs there.",
            "root-of-key-count": "The scores are divided by the root of the number of keys; the head width belongs "
            "there.",
            "values-from-keys": "The weighted mean is taken of the keys; it is taken of the values.",
            "over-queries": "The softmax runs over the queries; the weights of each query over the keys sum to 1.",
            "nothing-subtracted": "Scores of a hundred overflow: the largest score of each row must be subtracted.",
        },
    ),
    *drift(
        {
            "cache-detached": "The cached keys and values are cut off: no gradient flows back into them.",
            "weights-detached": "The attention weights are cut off from queries and keys: those get no gradient.",
        },
        fails="test_gradient",
    ),
    *drift({"returns-float32": "The output is float32 although q is not: give back its dtype."}, fails="test_dtype"),
    *drift({"changes-q": "The caller's queries are scaled in place."}, fails="test_leaves_arguments_alone"),
)
def attend_cached(
    wrong: Wrong, q: Tensor, k_new: Tensor, v_new: Tensor, cache: Cache | None
) -> Tensor | tuple[Tensor, Cache]:
    """Masked attention of the new queries over old and new keys."""
    if wrong("keys-and-values-swapped"):
        k_new, v_new = v_new, k_new
    if wrong("repeated-before-storing"):
        k_new, v_new = (_for_each_query_head(wrong, x, q.shape[1] // x.shape[1]) for x in (k_new, v_new))
    old = cache or (k_new[:, :, :0], v_new[:, :, :0])
    if old[0].shape[1] != k_new.shape[1]:
        raise ValueError("the cache has another number of heads")
    if wrong("cache-detached"):
        old = (old[0].detach(), old[1].detach())
    pairs = zip(old, (k_new, v_new), strict=True)
    keys, values = (torch.cat([n, o] if wrong("new-in-front") else [o, n], 2) for o, n in pairs)
    output = _output(wrong, q, *_read(wrong, old, (k_new, v_new), (keys, values)), cache is not None)
    if wrong("returns-output-alone"):
        return output
    if wrong("old-cache-returned"):
        keys, values = old
    if wrong("new-pair-returned"):
        keys, values = k_new, v_new
    if wrong("repeated-heads-stored"):
        keys, values = (_for_each_query_head(wrong, x, q.shape[1] // x.shape[1]) for x in (keys, values))
    return output, (values, keys) if wrong("cache-swapped") else (keys, values)


def _read(wrong: Wrong, old: Cache, new: Cache, both: Cache) -> Cache:
    """The keys and values that the output is made of."""
    if wrong("cache-not-read"):
        return new
    return old if wrong("new-not-read") and old[0].shape[2] else both


def _for_each_query_head(wrong: Wrong, x: Tensor, group: int) -> Tensor:
    if wrong("tiled-groups"):
        return torch.cat([x] * group, 1)
    if wrong("first-head-only"):
        x = x[:, :1].expand(x.shape)
    batch, n_heads, seq, k = x.shape
    return x[:, :, None].expand(batch, n_heads, group, seq, k).reshape(batch, n_heads * group, seq, k)


def _visible(wrong: Wrong, n_queries: int, n_keys: int, cached: bool) -> Tensor:
    if wrong("not-causal") or (cached and wrong("not-causal-with-a-cache")):
        return torch.ones(n_queries, n_keys, dtype=torch.bool)
    anchored = wrong("anchored-at-the-first-key") or (n_queries > 1 and wrong("chunk-anchored-at-the-first-key"))
    offset = 0 if anchored else n_keys - n_queries
    own = 1 if wrong("hides-own-position") else -1 if wrong("sees-one-key-ahead") else 0
    mask = torch.ones(n_queries, n_keys, dtype=torch.bool).tril(offset - own)
    return mask[:1].expand(mask.shape) if wrong("chunk-sees-one-row") else mask


def _output(wrong: Wrong, q: Tensor, keys: Tensor, values: Tensor, cached: bool) -> Tensor:
    wide = torch.promote_types(q.dtype, torch.float32)
    group = q.shape[1] // keys.shape[1]
    k, v = (_for_each_query_head(wrong, x.to(wide), group) for x in (keys, values))
    divisor = math.sqrt(q.shape[-1])
    if wrong("no-scale"):
        divisor = 1.0
    if wrong("divides-by-head-width"):
        divisor = q.shape[-1]
    if wrong("root-of-model-width"):
        divisor = math.sqrt(q.shape[1] * q.shape[-1])
    if wrong("root-of-key-count"):
        divisor = math.sqrt(k.shape[2])
    scores = q.to(wide) @ k.mT / divisor
    if wrong("changes-q"):
        q /= divisor
    visible = _visible(wrong, q.shape[2], k.shape[2], cached)
    axis = -2 if wrong("over-queries") else -1
    # A finite fill, and zeros afterwards: nothing becomes NaN where nothing is visible.
    if wrong("nothing-subtracted"):
        exponentials = scores.exp() * visible
        weights = exponentials / exponentials.sum(axis, keepdim=True)
    elif wrong("masked-after-softmax"):
        weights = scores.softmax(axis) * visible
    else:
        weights = scores.masked_fill(~visible, torch.finfo(wide).min).softmax(axis) * visible
    if wrong("weights-detached"):
        weights = weights.detach()
    output = weights @ (k if wrong("values-from-keys") else v)
    if wrong("heads-merged"):
        output = output.transpose(1, 2).reshape(q.shape[0], q.shape[2], q.shape[1] * q.shape[3])
    return output.to(torch.float32 if wrong("returns-float32") else q.dtype)
