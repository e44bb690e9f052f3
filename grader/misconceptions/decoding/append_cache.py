"""Known mistakes of putting new keys and values behind the old ones."""

from typing import Any

import torch
from torch import Tensor

from grader.judge.misconception import Wrong
from grader.misconceptions.decoding.shared import about, catalogue, drift, refusal, refuse

Cache = tuple[Tensor, Tensor]


@catalogue.flawed(
    "append_cache",
    *about(
        "growing-the-cache",
        {
            "keys-and-values-swapped": "Keys and values change places in the result; keys come first.",
            "new-in-front": "The new positions stand before the old ones; they belong behind them.",
            "keys-for-values": "The new keys are appended to the values as well.",
            "behind-the-old-keys": "The new values are put behind the old keys; they belong behind the old values.",
            "chunk-reversed": "The new positions are put in one by one in reverse order.",
        },
    ),
    *about(
        "growing-the-cache",
        {
            "along-width": "The new numbers are appended along the head width; time is axis 2.",
            "along-heads": "The new numbers are appended as more heads; time is axis 2.",
            "along-batch": "The new numbers are appended as more samples; time is axis 2.",
            "stacked": "Old and new are stacked on an axis of their own; join them along time.",
            "old-lost": "The old positions are lost: only the new ones are returned.",
            "new-lost": "The old cache comes back as it was; the new positions are missing.",
            "values-not-grown": "Only the keys grow; the values stay as they were.",
            "oldest-dropped": "The oldest positions are dropped, so that the cache never grows.",
            "one-tensor": "Keys and values are returned in one tensor; a pair is asked for.",
        },
        fails="test_one_more_position",
    ),
    *about(
        "growing-the-cache",
        {
            "first-call-stores-nothing": "With None in place of a cache the new keys and values are not stored.",
        },
        fails="test_first_positions",
    ),
    *about(
        "growing-the-cache",
        {"only-newest-stored": "Of several new positions only the last is stored."},
        fails="test_several_positions",
    ),
    *about(
        "growing-the-cache",
        {"returns-a-list": "The pair comes as a list; a tuple is asked for, which nobody changes by accident."},
        fails="test_returns_a_tuple",
    ),
    *refusal(
        {
            "no-check": "Nothing is checked, so that torch complains by itself or not at all: raise a ValueError "
            "first.",
            "assertion": "Shapes that differ are noticed, but not with a ValueError: raise one, with a message.",
            "pair-unchecked": "New keys and values of different shapes are not refused with a ValueError.",
            "first-pair-unchecked": "Without an old cache, keys and values of different shapes get through; compare "
            "them before anything else.",
        },
        fails="test_keys_and_values_of_two_shapes",
    ),
    *refusal(
        {"lengths-unchecked": "Keys and values of different lengths get through, and the cache falls out of step."},
        fails="test_keys_and_values_of_two_lengths",
    ),
    *refusal(
        {"cache-unchecked": "A cache of another batch, other heads or another width is not refused with a ValueError."},
        fails="test_another_cache",
    ),
    *drift(
        {"float32-buffer": "The cache is float32 whatever came in: a buffer has that dtype unless told another."},
        fails="test_one_more_position",
    ),
    *drift(
        {"old-cache-grows": "The old pair itself is made longer; return a new pair and leave the old one alone."},
        fails="test_leaves_arguments_alone",
    ),
)
def append_cache(wrong: Wrong, cache: Cache | None, k: Tensor, v: Tensor) -> Any:
    """The old pair with the new positions behind it."""
    _check(wrong, cache, k, v)
    if cache is None:
        if wrong("first-call-stores-nothing"):
            return _returned(wrong, k[:, :, :0], v[:, :, :0])
        return _returned(wrong, *_new(wrong, k, v))
    new_k, new_v = _new(wrong, k, v)
    if wrong("old-lost"):
        return _returned(wrong, new_k, new_v)
    if wrong("new-lost"):
        return _returned(wrong, *cache)
    olds = (cache[0], cache[0]) if wrong("behind-the-old-keys") else cache
    keys, values = (_joined(wrong, old, new) for old, new in zip(olds, (new_k, new_v), strict=True))
    if wrong("values-not-grown"):
        values = cache[1]
    if wrong("old-cache-grows"):
        cache[0].data, cache[1].data = keys, values
    return _returned(wrong, keys, values)


def _new(wrong: Wrong, k: Tensor, v: Tensor) -> Cache:
    if wrong("keys-for-values"):
        v = k
    if wrong("chunk-reversed"):
        k, v = k.flip(2), v.flip(2)
    return (k[:, :, -1:], v[:, :, -1:]) if wrong("only-newest-stored") else (k, v)


def _joined(wrong: Wrong, old: Tensor, new: Tensor) -> Tensor:
    for name, axis in (("along-batch", 0), ("along-heads", 1), ("along-width", 3)):
        if wrong(name):
            return torch.cat([old, new], axis)
    if wrong("stacked"):
        return torch.stack([old[:, :, -1:], new[:, :, -1:]])
    joined = torch.cat([new, old] if wrong("new-in-front") else [old, new], 2)
    return joined[:, :, -old.shape[2] :] if wrong("oldest-dropped") else joined


def _check(wrong: Wrong, cache: Cache | None, k: Tensor, v: Tensor) -> None:
    if wrong("no-check"):
        return
    unlike = k.shape != v.shape
    if wrong("pair-unchecked") or (cache is None and wrong("first-pair-unchecked")):
        unlike = False
    if wrong("lengths-unchecked"):
        unlike = (k.shape[:2], k.shape[3]) != (v.shape[:2], v.shape[3])
    refuse(wrong, unlike, "keys and values differ in shape")
    if cache is None:
        return
    for old, new in zip(cache, (k, v), strict=True):
        differs = any(old.shape[axis] != new.shape[axis] for axis in (0, 1, 3))
        refuse(wrong, differs and not wrong("cache-unchecked"), "another cache")


def _returned(wrong: Wrong, keys: Tensor, values: Tensor) -> Any:
    if wrong("keys-and-values-swapped"):
        keys, values = values, keys
    if wrong("float32-buffer"):
        keys, values = keys.float(), values.float()
    if wrong("one-tensor"):
        return torch.stack([keys, values])
    return [keys, values] if wrong("returns-a-list") else (keys, values)
