"""Known mistakes of repeating keys and values for the query heads that share them."""

import torch
from torch import Tensor

from grader.judge.misconception import Wrong
from grader.misconceptions.heads.shared import about, as_returned, catalogue, moved_only, refuse


@catalogue.flawed(
    "repeat_kv",
    *about(
        "the-copies-are-not-neighbours",
        {
            "tiled": "Whole copies of the head axis follow each other (0, 1, 0, 1); the copies of one head must be "
            "neighbours (0, 0, 1, 1).",
            "copies-mixed-with-time": "The new axis stands behind time, so that merging it with the heads mixes "
            "positions; it belongs right behind the heads.",
            "first-head-only": "Every copy is one of head 0; each head serves its own group.",
            "only-first-copy-filled": "Only one copy of each head is filled, the others are 0.",
        },
    ),
    *about(
        "axes-in-another-order",
        {
            "repeats-time": "Positions are repeated; repeat heads, axis 1.",
            "repeats-batch": "Samples are repeated; repeat heads, axis 1.",
            "repeats-everything-flat": "Without an axis, repeat_interleave flattens its input; name axis 1.",
            "axis-kept": "Heads and copies are still two axes; make them one.",
            "count-is-total": "The second argument is the number of copies of each head, not of all heads together.",
        },
        fails="test_two_heads_three_times",
    ),
    *about(
        "repeat-key-value-heads",
        {
            "no-check": "n_repeats below 1 gives a tensor without heads, or an error of torch's own; raise a "
            "ValueError first, with a message.",
            "assertion": "An n_repeats below 1 is noticed, but not with a ValueError: raise one, with a message.",
        },
        fails="test_less_than_once",
    ),
    *moved_only("test_two_heads_three_times"),
)
def repeat_kv(wrong: Wrong, x: Tensor, n_repeats: int) -> Tensor:
    """A new axis right behind the heads, expanded, then merged with them."""
    refuse(wrong, n_repeats < 1, "fewer than one repeat")
    batch, count, seq, k = x.shape
    n = max(1, n_repeats // count) if wrong("count-is-total") else n_repeats
    if wrong("repeats-time"):
        return as_returned(wrong, x.repeat_interleave(n, 2))
    if wrong("repeats-batch"):
        return as_returned(wrong, x.repeat_interleave(n, 0))
    if wrong("repeats-everything-flat"):
        return as_returned(wrong, x.repeat_interleave(n))
    if wrong("first-head-only"):
        x = x[:, :1].expand(x.shape)
    if wrong("tiled"):
        copies = torch.cat([x] * n, dim=1) if n > 0 else x[:, :0]
        copies = copies.reshape(batch, count, n, seq, k)
    elif wrong("copies-mixed-with-time"):
        copies = x[:, :, :, None].expand(batch, count, seq, n, k).reshape(batch, count, n, seq, k)
    else:
        copies = x[:, :, None].expand(batch, count, n, seq, k)
    if wrong("only-first-copy-filled"):
        copies = torch.cat([copies[:, :, :1], torch.zeros_like(copies[:, :, 1:])], dim=2)
    return as_returned(wrong, copies if wrong("axis-kept") else copies.reshape(batch, count * n, seq, k))
