"""Known mistakes of the causal mask and of the sliding window."""

import math

import torch
from torch import Tensor

from grader.judge.misconception import Wrong
from grader.misconceptions.attention.shared import about, catalogue

MASK_FORM = (
    *about(
        "the-shape-of-a-mask-is-part-of-it",
        {
            "float-mask": "Your mask holds the numbers 1 and 0; it should be boolean (True and False).",
            "additive-mask": "Your mask holds 0 and minus infinity, to be added to scores. Here a mask is boolean, and "
            "True means may attend.",
            "transposed": "Queries and keys have changed places: rows are queries, columns are keys.",
            "leading-axes-added": "Your mask has extra axes of size 1 in front; return two axes, which broadcast by "
            "themselves.",
        },
        fails="test_chunk_behind_a_cache",
    ),
    *about(
        "the-mask-starts-at-the-wrong-corner",
        {"square-mask": "Your mask has a column for each query; it needs one for each key, cached or new."},
        fails="test_chunk_behind_a_cache",
    ),
    *about(
        "the-shape-of-a-mask-is-part-of-it",
        {"sixteen-bit-positions": "Positions are compared in 16 bits, where 256 equals 257: compare integers."},
    ),
    *about(
        "the-mask-is-upside-down",
        {"inverted": "Your mask is upside down: True should mark the keys that a query may attend to."},
    ),
    *about(
        "causal-mask",
        {
            "accepts-too-many-queries": "More queries than keys are accepted, but the first of them would stand before "
            "the first key; raise ValueError.",
            "assertion": "Bad sizes are noticed, but by another exception (an assert, say); raise ValueError.",
        },
        fails="test_more_queries_than_keys",
    ),
)
"""What both masks can get wrong besides which keys are visible."""


def refuse(wrong: Wrong, message: str) -> None:
    """Raise what a bad size is answered with."""
    raise AssertionError(message) if wrong("assertion") else ValueError(message)


def positions(wrong: Wrong, n_queries: int, n_keys: int, offset: int) -> tuple[Tensor, Tensor]:
    """A column of query positions and a row of key positions."""
    dtype = torch.bfloat16 if wrong("sixteen-bit-positions") else torch.int64
    keys = torch.arange(n_queries if wrong("square-mask") else n_keys)
    return (torch.arange(n_queries) + offset).to(dtype)[:, None], keys.to(dtype)


def as_returned(wrong: Wrong, visible: Tensor) -> Tensor:
    """The mask in the form in which it is handed back."""
    if wrong("transposed"):
        visible = visible.T
    if wrong("inverted"):
        visible = ~visible
    if wrong("leading-axes-added"):
        visible = visible[None, None]
    if wrong("additive-mask"):
        return torch.zeros(visible.shape).masked_fill(~visible, -math.inf)
    return visible.float() if wrong("float-mask") else visible


@catalogue.flawed(
    "causal_mask",
    *about(
        "the-mask-starts-at-the-wrong-corner",
        {
            "top-left": "Your triangle starts at the top left corner, so with a cache query i sees the first i + 1 "
            "keys only; the last query belongs at the last key.",
            "offset-subtracted": "The number of cached keys is subtracted from the query's position; add it.",
            "no-mask-with-cache": "As soon as there are more keys than queries, everything is visible; several new "
            "queries still need a causal mask.",
        },
    ),
    *about(
        "a-token-must-see-itself",
        {
            "hides-own-key": "A query does not see the key at its own position; it should.",
            "sees-one-ahead": "Each query sees one key too many: the next token, which it has to predict.",
            "sees-the-future-only": "Your triangle is the upper one: queries see themselves and what comes after them.",
            "sees-everything": "Nothing is hidden; a query must not see the keys after its own position.",
        },
    ),
    *MASK_FORM,
)
def causal_mask(wrong: Wrong, n_queries: int, n_keys: int) -> Tensor:
    """Where each query stands, and which keys stand at or before it."""
    if n_queries > n_keys and not wrong("accepts-too-many-queries"):
        refuse(wrong, "more queries than keys")
    offset = 0 if wrong("top-left") else n_keys - n_queries
    if wrong("offset-subtracted"):
        offset = -offset
    query, key = positions(wrong, n_queries, n_keys, offset + wrong("sees-one-ahead") - wrong("hides-own-key"))
    visible = key >= query if wrong("sees-the-future-only") else key <= query
    if wrong("sees-everything") or (wrong("no-mask-with-cache") and n_keys > n_queries):
        visible = torch.ones_like(visible)
    return as_returned(wrong, visible)


@catalogue.flawed(
    "sliding_window_mask",
    *about(
        "the-window-is-off-by-one-or-has-one-side",
        {
            "one-key-too-many": "The window holds one key too many: the query's own key is one of the `window` keys.",
            "one-key-too-few": "The window holds one key too few: distances 0 to window - 1 are visible.",
            "future-visible": "The distance is limited backwards only; keys after the query must be hidden as well.",
            "both-sides": "The window reaches forwards as far as backwards; it should end at the query's own key.",
            "no-window": "The window has no effect: your mask is the plain causal one. Hide keys that are too old as "
            "well.",
            "oldest-keys": "The first `window` keys of the sequence stay visible, not the newest before each query.",
            "blocks": "The sequence is cut into blocks of `window` keys; the window should slide with the query.",
            "band-not-shifted": "With a cache, the older end of your window counts from the row number and the newer "
            "one from the position. Count both from the position.",
        },
    ),
    *about(
        "a-token-must-see-itself",
        {"hides-own-key": "The window ends just before the query; its own key is the newest that it sees."},
    ),
    *about(
        "the-mask-starts-at-the-wrong-corner",
        {"top-left": "Query i is taken to stand at position i; with a cache the last query stands at the last key."},
    ),
    *about(
        "sliding-window-mask",
        {"accepts-empty-window": "A window below 1 is accepted, which leaves nothing to see; raise ValueError."},
        fails="test_empty_window",
    ),
    *MASK_FORM,
)
def sliding_window_mask(wrong: Wrong, n_queries: int, n_keys: int, window: int) -> Tensor:
    """Which keys are near enough, and which of them are not in the future."""
    if n_queries > n_keys and not wrong("accepts-too-many-queries"):
        refuse(wrong, "more queries than keys")
    if window < 1 and not wrong("accepts-empty-window"):
        refuse(wrong, "window below 1")
    query, key = positions(wrong, n_queries, n_keys, 0 if wrong("top-left") else n_keys - n_queries)
    if wrong("hides-own-key"):
        query = query - 1
    start = query - (n_keys - n_queries) if wrong("band-not-shifted") else query
    width = window + wrong("one-key-too-many") - wrong("one-key-too-few")
    near = start - key < width
    if wrong("both-sides"):
        near = (start - key).abs() < width
    if wrong("oldest-keys"):
        near = (key < width).expand_as(near)
    if wrong("blocks"):
        near = query // max(width, 1) == key // max(width, 1)
    if wrong("no-window"):
        near = torch.ones_like(near)
    return as_returned(wrong, near if wrong("future-visible") or wrong("both-sides") else near & (key <= query))
