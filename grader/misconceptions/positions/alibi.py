"""Known mistakes of ALiBi's slopes and bias."""

import math

import torch
from torch import Tensor

from grader.judge.misconception import Wrong
from grader.misconceptions.positions.shared import about, catalogue, form, refuse

SLOPES = about(
    "slopes",
    {
        "formula-for-every-number": "2^(-8h/H) holds for powers of two only. Other numbers of heads take the slopes "
        "of the next lower power of two, then every other one of the next higher.",
        "halved-from-head-to-head": "Each slope is half the one before, which is right for 8 heads only: for H heads "
        "the exponents are 8/H apart.",
        "first-slope-is-one": "The first slope is 1; the sequence starts at 2^(-8/H), with the exponent of one step.",
        "heads-reversed": "The heads are in reverse order: the first has the largest slope.",
    },
)
"""What the slopes can get wrong, and a bias with them."""


def geometric(wrong: Wrong, n_heads: int) -> Tensor:
    """The sequence for a power of two."""
    steps = torch.arange(1, n_heads + 1, dtype=torch.float64) - int(wrong("first-slope-is-one"))
    rate = 1.0 if wrong("halved-from-head-to-head") else 8.0 / n_heads
    return 2.0 ** (-rate * steps)


def by_plain_formula(wrong: Wrong) -> bool:
    """Whether the rule for other numbers than powers of two is left out."""
    return wrong("formula-for-every-number") or wrong("halved-from-head-to-head")


@catalogue.flawed(
    "alibi_slopes",
    *SLOPES,
    *about(
        "slopes",
        {
            "second-fourth-sixth": "The slopes that are added come from the even places of the longer sequence, where "
            "those of the shorter one stand again: take its 1st, 3rd, 5th.",
            "first-of-the-longer": "The slopes that are added are the first ones of the longer sequence: take every "
            "other.",
            "longer-cut-off": "You cut the sequence of the next higher power of two off at H. Begin with the whole "
            "sequence of the next lower power and add every other slope of the higher one.",
            "sorted": "The slopes are sorted by size; the published order is the shorter sequence, then the ones "
            "added.",
            "added-ones-first": "The slopes that are added stand in front; they come after the shorter sequence.",
            "negative": "Slopes are negative; they are positive, and the bias subtracts.",
        },
    ),
    *about(
        "widths-that-do-not-fit",
        {
            "no-heads-accepted": "Fewer than one head is accepted: raise a ValueError.",
            "assertion": "Fewer than one head is noticed, but not with a ValueError: raise one, with a message.",
        },
        fails="test_no_heads",
    ),
    *form(
        {
            "a-list": "Your function returns a list; a float32 tensor is wanted.",
            "float64": "Slopes are float64; return float32.",
            "column": "Slopes have axes of size 1 behind; the shape is (H,).",
        },
        fails="test_six_heads",
    ),
)
def alibi_slopes(wrong: Wrong, n_heads: int) -> Tensor | list[float]:
    """Slopes with switches."""
    if n_heads < 1:
        if wrong("no-heads-accepted"):
            return torch.zeros(0)
        refuse(wrong, "no heads")
    lower = 2 ** int(math.log2(n_heads))
    shorter, longer = geometric(wrong, lower), geometric(wrong, 2 * lower)
    added = longer[1::2] if wrong("second-fourth-sixth") else longer if wrong("first-of-the-longer") else longer[0::2]
    parts = [shorter, added[: n_heads - lower]]
    slopes = torch.cat(parts[::-1] if wrong("added-ones-first") else parts)
    if wrong("longer-cut-off") and lower != n_heads:
        slopes = longer[:n_heads]
    if by_plain_formula(wrong):
        slopes = geometric(wrong, n_heads)
    if wrong("sorted"):
        slopes = slopes.sort(descending=True).values
    if wrong("heads-reversed"):
        slopes = slopes.flip(0)
    slopes = -slopes if wrong("negative") else slopes
    slopes = slopes[:, None, None] if wrong("column") else slopes
    slopes = slopes if wrong("float64") else slopes.float()
    return slopes.tolist() if wrong("a-list") else slopes


@catalogue.flawed(
    "alibi_bias",
    *SLOPES,
    *about(
        "the-sign-of-the-bias-and-the-future",
        {
            "rewards-distance": "The bias grows with distance, so that far keys win: it is minus slope times distance.",
            "symmetric": "Keys after the query get a bias by their distance, as if they could be seen: they get -inf.",
            "rewards-the-future": "Keys after the query get a positive bias: they must get -inf, since ALiBi does not "
            "replace the causal mask.",
            "future-at-zero": "Keys after the query get a bias of 0, the best of all: they must get -inf.",
            "finite-future": "Keys after the query get -1e9; here it is -inf, whatever the dtype.",
            "lowest-number-future": "Keys after the query get the lowest number of the dtype; here it is -inf.",
            "future-is-nan": "Keys after the query are NaN: minus infinity was multiplied by a mask, and infinity "
            "times 0 is NaN. Fill the places instead.",
            "keys-only": "The bias is slope times the key's position, without the query's. A softmax over the row "
            "gives the same weights, but here the bias is minus slope times distance: 0 at the query's own key.",
            "own-key-at-distance-one": "Distances start at 1; a query is at distance 0 from its own key.",
            "own-key-hidden": "The query's own key gets -inf; it is at distance 0 and may be seen.",
        },
    ),
    *about(
        "aligned-at-the-wrong-end",
        {
            "top-left": "Query i is taken to stand at position i, so that with a cache everything is off: the last "
            "query stands at the last key, query i at i + Tk - Tq.",
            "nothing-for-one-query": "A single query behind a cache gets no bias: its distances are as long as ever.",
            "newest-key-is-the-query": "All queries of a chunk are placed at the last key: only the last stands there.",
        },
    ),
    *about(
        "angles-in-16-bits",
        {
            "sixteen-bit-positions": "Positions or distances pass through a 16-bit number, where 257 and 256 are the "
            "same: compute them as integers.",
        },
    ),
    *about(
        "widths-that-do-not-fit",
        {
            "accepts-too-many-queries": "More queries than keys are accepted, but the first of them would stand "
            "before the first key: that is a ValueError.",
            "assertion": "Bad sizes are noticed, but not with a ValueError: raise one, with a message.",
        },
        fails="test_more_queries_than_keys",
    ),
    *form(
        {
            "transposed": "Queries and keys have changed places: the shape is (H, Tq, Tk).",
            "heads-last": "The heads are on the last axis; the shape is (H, Tq, Tk), so that it broadcasts over "
            "scores.",
            "batch-axis": "The bias has an axis of size 1 in front; its shape is (H, Tq, Tk), and it broadcasts by "
            "itself.",
            "float64": "The bias is float64; return float32.",
        },
        fails="test_two_heads_behind_a_cache",
    ),
)
def alibi_bias(wrong: Wrong, n_heads: int, n_queries: int, n_keys: int) -> Tensor:
    """The bias with switches."""
    if n_queries > n_keys and not wrong("accepts-too-many-queries"):
        refuse(wrong, "more queries than keys")
    query = torch.arange(n_queries) + (0 if wrong("top-left") else n_keys - n_queries)
    if wrong("newest-key-is-the-query"):
        query = torch.full((n_queries,), n_keys - 1)
    query, key = query[:, None].double(), torch.arange(n_keys).double()
    if wrong("sixteen-bit-positions"):
        query, key = query.bfloat16().double(), key.bfloat16().double()
    future = key >= query if wrong("own-key-hidden") else key > query
    distance = -key.expand(n_queries, n_keys) if wrong("keys-only") else query - key
    if wrong("symmetric"):
        distance = distance.abs()
    if wrong("future-at-zero"):
        distance = distance.clamp_min(0)
    if wrong("own-key-at-distance-one"):
        distance = distance + 1
    lower = 2 ** int(math.log2(n_heads))
    slopes = torch.cat((geometric(wrong, lower), geometric(wrong, 2 * lower)[0::2][: n_heads - lower]))
    if by_plain_formula(wrong):
        slopes = geometric(wrong, n_heads)
    slopes = slopes.flip(0) if wrong("heads-reversed") else slopes
    bias = (1 if wrong("rewards-distance") else -1) * slopes[:, None, None] * distance
    if wrong("nothing-for-one-query") and n_queries == 1:
        bias = torch.zeros_like(bias)
    if wrong("future-is-nan"):
        bias = bias + future.double() * -math.inf
    elif not (wrong("symmetric") or wrong("rewards-the-future") or wrong("future-at-zero")):
        fill = torch.finfo(torch.float32).min if wrong("lowest-number-future") else -math.inf
        bias = bias.masked_fill(future, -1e9 if wrong("finite-future") else fill)
    if wrong("transposed"):
        bias = bias.transpose(1, 2)
    if wrong("heads-last"):
        bias = bias.movedim(0, -1)
    if wrong("batch-axis"):
        bias = bias[None]
    return bias if wrong("float64") else bias.float()
