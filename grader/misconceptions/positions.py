"""Known mistakes of the lesson on positions: each exercise written once, with a switch at every fork."""

import math
from collections.abc import Mapping
from dataclasses import dataclass

import torch
from torch import Tensor

from grader.judge.misconception import Catalogue, Misconception, Wrong

catalogue = Catalogue("positions")


def about(section: str, says: Mapping[str, str], fails: str | None = None) -> tuple[Misconception, ...]:
    """Mistakes that one section of the lesson explains: their names and what the learner reads."""
    return tuple(Misconception(name, sentence, section, fails) for name, sentence in says.items())


def form(says: Mapping[str, str], fails: str) -> tuple[Misconception, ...]:
    """Mistakes about shapes, dtypes, arguments and gradients."""
    return about("shapes-dtypes-arguments-gradients", says, fails)


def refuse(wrong: Wrong, message: str) -> None:
    """Raise what a bad size is answered with."""
    raise AssertionError(message) if wrong("assertion") else ValueError(message)


def refusals(subject: str, fails: str) -> tuple[Misconception, ...]:
    """A bad width that is accepted, or refused in the wrong way."""
    return about(
        "widths-that-do-not-fit",
        {
            "odd-accepted": f"An odd {subject} is accepted. Features come in pairs here: raise a ValueError.",
            "assertion": f"An odd {subject} is noticed, but not with a ValueError: raise one, with a message.",
        },
        fails,
    )


def frequency_mistakes(width: str, pairs: str) -> tuple[Misconception, ...]:
    """The mistakes about how fast each pair turns; `width` and `pairs` are the symbols for a width and its half."""
    return (
        *about(
            "the-exponent",
            {
                "exponent-doubled": f"The exponent is twice what it should be: with i counting pairs it is 2i/{width}. "
                f"Either 2i is doubled once more, or it is divided by {pairs}.",
                "exponent-halved": f"The exponent is half of what it should be: with i counting pairs, 0 to "
                f"{pairs} - 1, it is 2i/{width}, not i/{width}.",
                "rising-frequencies": "Your frequencies rise from pair to pair; the exponent needs a minus sign, so "
                "that the first pair turns fastest.",
                "last-pair-reaches-base": f"You divide by {width} - 2 (or {pairs} - 1), so that the last frequency is "
                f"exactly 1/base; the exponent is 2i/{width}, and the last pair stops short of that.",
                "pairs-counted-from-one": "Pairs are counted from 1; the first is pair 0 and turns by 1 radian a "
                "position.",
                "pairs-reversed": "The frequencies are in reverse order: pair 0 is the fastest.",
                "whole-number-exponent": "All pairs turn at the same rate: the exponent is 0 everywhere, as a "
                "whole-number division makes it. Divide floating-point numbers.",
            },
        ),
        *about(
            "the-base",
            {
                "base-ignored": "The argument base is not used: your function takes 10,000 whatever is passed.",
                "base-of-1000": "Your function's default for the base is 1,000; it should be 10,000.",
            },
        ),
        *about(
            "angles-in-16-bits",
            {
                "sixteen-bit-positions": "Positions pass through a 16-bit number, where 257 and 256 are the same and "
                "near 2,000 only every eighth is left: multiply in float32 or better.",
                "sixteen-bit-angles": "Angles are rounded to 16 bits, so far positions are off by whole radians: keep "
                "them in float32 or better.",
            },
        ),
    )


def exponents(wrong: Wrong, width: int) -> Tensor:
    """The exponent of the base for each pair, sign included."""
    pair = torch.arange(0, width, 2, dtype=torch.float64) / 2
    if wrong("pairs-counted-from-one"):
        pair = pair + 1
    if wrong("pairs-reversed"):
        pair = pair.flip(0)
    if wrong("whole-number-exponent"):
        pair = 0 * pair
    divisor = max(width - 2, 1) if wrong("last-pair-reaches-base") else width
    return 2 * slope_of_exponents(wrong) * pair / divisor * (1 if wrong("rising-frequencies") else -1)


def slope_of_exponents(wrong: Wrong) -> float:
    """By how much the exponent falls from one column to the next, in units of 1/width: 1 when it is right."""
    return 2.0 if wrong("exponent-doubled") else 0.5 if wrong("exponent-halved") else 1.0


def chosen_base(wrong: Wrong, base: float | None) -> float:
    """The base that is used: the one that was passed, or the default."""
    default = 1000.0 if wrong("base-of-1000") else 10000.0
    return default if base is None or wrong("base-ignored") else base


def products(wrong: Wrong, positions: Tensor, frequencies: Tensor) -> Tensor:
    """Angles `(T, pairs)` in float64, rounded on the way where a mistake does that."""
    places = positions.to(torch.bfloat16).double() if wrong("sixteen-bit-positions") else positions.double()
    angles = places[:, None] * frequencies
    return angles.to(torch.bfloat16).double() if wrong("sixteen-bit-angles") else angles


@catalogue.flawed(
    "sinusoidal_positions",
    *frequency_mistakes("D", "D/2"),
    *about(
        "the-exponent",
        {
            "frequency-for-each-column": "Every column has a frequency of its own; the sine in column 2i and the "
            "cosine in column 2i + 1 share the one with exponent 2i/D.",
        },
    ),
    *about(
        "sines-and-cosines-in-the-wrong-columns",
        {
            "halves": "All sines come first and all cosines after them, as in some libraries; here they alternate: "
            "even columns are sines, odd ones cosines.",
            "cosines-first": "Sine and cosine have changed places: even columns are sines, so position 0 is 0, 1, 0, "
            "1.",
        },
    ),
    *about("which-position", {"starts-at-one": "Positions start at 1; the first one is 0, and its sines are 0."}),
    *refusals("width", "test_odd_width"),
    *form(
        {
            "batch-axis": "The table has an axis of size 1 in front; its shape is (T, D), and it broadcasts by itself.",
            "float64": "The table is float64; compute in it if you like, but return float32.",
            "transposed": "Rows and columns have changed places: one row for each position, one column for each "
            "feature.",
        },
        fails="test_three_positions",
    ),
)
def sinusoidal_positions(wrong: Wrong, n_positions: int, d_model: int, base: float | None = None) -> Tensor:
    """The table with switches."""
    if d_model % 2 and not wrong("odd-accepted"):
        refuse(wrong, "odd width")
    powers = exponents(wrong, d_model)
    positions = torch.arange(n_positions) + int(wrong("starts-at-one"))
    rate = chosen_base(wrong, base)
    sine_angles = products(wrong, positions, rate**powers)
    later = powers - slope_of_exponents(wrong) / d_model if wrong("frequency-for-each-column") else powers
    cosine_angles = products(wrong, positions, rate**later)
    first, second = sine_angles.sin(), cosine_angles.cos()
    if wrong("cosines-first"):
        first, second = second, first
    joined = torch.cat((first, second), -1) if wrong("halves") else torch.stack((first, second), -1).flatten(-2)
    table = joined[:, :d_model]  # an odd width keeps one sine more than cosines
    if wrong("transposed"):
        table = table.T
    if wrong("batch-axis"):
        table = table[None]
    return table if wrong("float64") else table.float()


@catalogue.flawed(
    "rope_angles",
    *frequency_mistakes("K", "K/2"),
    *about(
        "which-position",
        {
            "positions-ignored": "The positions that are passed are not used, only their number: behind a cache, or "
            "with gaps, every angle would be wrong.",
            "positions-from-the-first": "Angles are counted from the first position that is passed. Positions are "
            "absolute: behind a cache they do not start at 0.",
            "starts-at-one": "Every position is one too far: position 0 has the angle 0.",
        },
    ),
    *refusals("head width", "test_odd_width"),
    *about(
        "widths-that-do-not-fit",
        {"odd-cut-off": "An odd head width is accepted, and its last feature gets no angle: raise a ValueError."},
        fails="test_odd_width",
    ),
    *form(
        {
            "doubled-in-halves": "Your result has K columns, the angles twice in a row. One angle for each pair, K/2 "
            "columns, is what this function returns; to repeat them is the business of the rotation.",
            "doubled-in-pairs": "Your result has K columns, each angle twice side by side. One angle for each pair, "
            "K/2 columns, is what this function returns.",
            "cosines": "You return the cosines; the angles themselves, in radians, are wanted.",
            "transposed": "Rows and columns have changed places: one row for each position, one column for each pair.",
            "float64": "Angles are float64; compute in it if you like, but return float32.",
        },
        fails="test_scattered_positions",
    ),
    *form(
        {"changes-positions": "Your function writes into the positions that it was given: work on a new tensor."},
        fails="test_leaves_positions_alone",
    ),
)
def rope_angles(wrong: Wrong, positions: Tensor, head_width: int, base: float | None = None) -> Tensor:
    """Angles with switches."""
    if head_width % 2 and not (wrong("odd-accepted") or wrong("odd-cut-off")):
        refuse(wrong, "odd head width")
    places = torch.arange(len(positions)) if wrong("positions-ignored") else positions
    if wrong("positions-from-the-first"):
        places = places - places[0]
    if wrong("starts-at-one"):
        places = places + 1
    angles = products(wrong, places, chosen_base(wrong, base) ** exponents(wrong, head_width))
    if wrong("odd-cut-off"):
        angles = angles[:, : head_width // 2]
    if wrong("changes-positions"):
        positions.mul_(2)
    if wrong("cosines"):
        angles = angles.cos()
    if wrong("doubled-in-halves"):
        angles = torch.cat((angles, angles), dim=-1)
    if wrong("doubled-in-pairs"):
        angles = angles.repeat_interleave(2, dim=-1)
    if wrong("transposed"):
        angles = angles.T
    return angles if wrong("float64") else angles.float()


@dataclass(frozen=True)
class Layout:
    """Which features are a pair: neighbours, or those half a head apart."""

    interleaved: bool

    def split(self, x: Tensor) -> tuple[Tensor, Tensor]:
        """The first and the second feature of every pair."""
        if self.interleaved:
            return x[..., 0::2], x[..., 1::2]
        half = x.shape[-1] // 2
        return x[..., :half], x[..., half:]

    def join(self, first: Tensor, second: Tensor) -> Tensor:
        """Back to one axis, each feature in its place."""
        if self.interleaved:
            return torch.stack((first, second), dim=-1).flatten(-2)
        return torch.cat((first, second), dim=-1)

    def unless(self, flipped: bool) -> "Layout":
        """This layout, or the other one."""
        return Layout(self.interleaved != flipped)


def rotation_mistakes(other_layout: str, joined: str) -> tuple[Misconception, ...]:
    """What either layout can get wrong. The arguments say which layout the learner wrote, and how they put it back."""
    return (
        *about("the-other-layout", {"other-layout": other_layout}),
        *about(
            "half-of-one-layout-half-of-the-other",
            {
                "table-of-the-other-layout": "The pairs are right, but cosines and sines are laid out for the other "
                "layout: the two features of a pair are turned by different angles, and lengths are not kept.",
                "pairs-of-the-other-layout": "Cosines and sines are laid out rightly, but the features that they mix "
                "are the pairs of the other layout, so that lengths are not kept.",
                "joined-in-the-other-layout": joined,
            },
        ),
        *about(
            "the-wrong-direction",
            {
                "clockwise": "You turn clockwise. Counter-clockwise, the first of a pair becomes a cos - b sin and the "
                "second a sin + b cos.",
                "no-minus": "Both sines have a plus sign, which is no rotation: one of the two must be subtracted.",
                "sine-and-cosine-swapped": "Sine and cosine have changed places: at angle 0 a vector must stay as it "
                "is.",
                "overwritten-too-early": "The second feature of a pair is computed from the first one's new value. "
                "Both need the old pair: compute both before you write.",
            },
        ),
        *about(
            "which-position",
            {
                "angles-by-head": "Row t of the angles meets the axis of the heads instead of the axis of the "
                "positions: x is (..., T, K), so that angles (T, K/2) broadcast as they are.",
                "first-position-for-all": "All positions are turned by the angles of the first one.",
            },
        ),
        *about(
            "angles-in-16-bits",
            {
                "angles-in-sixteen-bits": "The angles are rounded to the dtype of x before the cosine: 16 bits cannot "
                "tell 2,000 from 2,001. Take cosine and sine in float32.",
            },
            fails="test_sixteen_bits",
        ),
        *form(
            {"returns-float32": "Cosines are float32, as they should be, but so is the result: give back x's dtype."},
            fails="test_sixteen_bits",
        ),
        *form(
            {"always-float32": "Your result is float32 whatever x is: give back the dtype of x."},
            fails="test_two_positions",
        ),
        *form(
            {
                "no-gradient": "The result is cut off from x (no_grad, detach, .data, or a new tensor made from "
                "numbers), so queries and keys cannot be learned."
            },
            fails="test_gradient",
        ),
        *form(
            {"angles-detached": "No gradient reaches the angles: cosine and sine are taken outside of the graph."},
            fails="test_gradient_of_the_angles",
        ),
        *form({"changes-x": "Your function writes into x: work on a new tensor."}, fails="test_leaves_arguments_alone"),
        *about(
            "widths-that-do-not-fit",
            {
                "width-unchecked": "Angles of another width are not refused: torch raises an error of its own, and a "
                "single column of angles broadcasts silently. Compare the widths first and raise a ValueError.",
                "partial-rotation": "Where there are fewer angles than pairs you turn the first features and pass on "
                "the rest, as partial rotary embeddings do; here another width is a ValueError.",
                "assertion": "Angles of another width are noticed, but not with a ValueError: raise one, with a "
                "message.",
            },
            fails="test_other_width",
        ),
    )


def turned(wrong: Wrong, layout: Layout, x: Tensor, angles: Tensor) -> Tensor:
    """The rotation with switches."""
    rotated, rest = x, None
    if 2 * angles.shape[-1] != x.shape[-1]:
        if wrong("partial-rotation") and 2 * angles.shape[-1] < x.shape[-1]:
            rotated, rest = x[..., : 2 * angles.shape[-1]], x[..., 2 * angles.shape[-1] :]
        elif not wrong("width-unchecked"):
            refuse(wrong, "another width")
    wide = torch.promote_types(x.dtype, torch.float32)
    theta = angles.to(x.dtype).to(wide) if wrong("angles-in-sixteen-bits") else angles.to(wide)
    theta = theta.detach() if wrong("angles-detached") else theta
    if wrong("first-position-for-all"):
        theta = theta[:1].expand_as(theta)
    if wrong("angles-by-head"):
        theta = theta[:, None]
    if wrong("clockwise"):
        theta = -theta
    cos, sin = (theta.sin(), theta.cos()) if wrong("sine-and-cosine-swapped") else (theta.cos(), theta.sin())
    table = layout.unless(wrong("other-layout") != wrong("table-of-the-other-layout"))
    pairs = layout.unless(wrong("other-layout") != wrong("pairs-of-the-other-layout"))
    cos_a, cos_b, sin_a, sin_b = cos, cos, sin, sin
    if table != pairs:
        (cos_a, cos_b), (sin_a, sin_b) = pairs.split(table.join(cos, cos)), pairs.split(table.join(sin, sin))
    a, b = pairs.split(rotated)
    new_a = a * cos_a + b * sin_a if wrong("no-minus") else a * cos_a - b * sin_a
    new_b = (new_a if wrong("overwritten-too-early") else a) * sin_b + b * cos_b
    y = pairs.unless(wrong("joined-in-the-other-layout")).join(new_a, new_b)
    y = y if rest is None else torch.cat((y, rest), dim=-1)
    y = y.detach() if wrong("no-gradient") else y
    if wrong("always-float32"):
        return y.float()
    y = y if wrong("returns-float32") else y.to(x.dtype)
    return x.copy_(y) if wrong("changes-x") else y


@catalogue.flawed(
    "apply_rope",
    *rotation_mistakes(
        "You wrote the half layout: you turn the pairs (x[i], x[i + K/2]), as most libraries do for LLaMA checkpoints. "
        "apply_rope is RoFormer's interleaved layout and turns neighbours, (x[2i], x[2i+1]). Both are in use, and "
        "weights trained with one need their rows reordered for the other.",
        "The neighbours are turned rightly but put back in halves, all first features before all second ones: each "
        "feature stays where it was, interleaved.",
    ),
)
def apply_rope(wrong: Wrong, x: Tensor, angles: Tensor) -> Tensor:
    """The interleaved layout with switches."""
    return turned(wrong, Layout(interleaved=True), x, angles)


@catalogue.flawed(
    "apply_rope_half",
    *rotation_mistakes(
        "You wrote the interleaved layout: you turn neighbours, (x[2i], x[2i+1]), as RoFormer does. apply_rope_half "
        "turns the pairs (x[i], x[i + K/2]), as most libraries do for LLaMA checkpoints. Both are in use, and weights "
        "trained with one need their rows reordered for the other.",
        "The halves are turned rightly but put back interleaved, first and second features in turn: each feature stays "
        "in its own half.",
    ),
)
def apply_rope_half(wrong: Wrong, x: Tensor, angles: Tensor) -> Tensor:
    """The half layout with switches."""
    return turned(wrong, Layout(interleaved=False), x, angles)


@catalogue.flawed(
    "interleaved_to_half",
    *about(
        "rows-in-the-wrong-place",
        {
            "inverse": "You go the other way, from the half layout to the interleaved one: here the even rows of a "
            "head come first, then its odd rows.",
            "across-heads": "All even rows of the whole weight come first, so that heads are torn apart: reorder the "
            "K rows of each head by themselves.",
            "heads-fastest": "You read row r as belonging to head r % H; head h owns the rows h*K to (h+1)*K - 1.",
            "odd-rows-first": "The odd rows of a head come first; the even ones do, because they are first in their "
            "pairs.",
            "columns-moved": "Columns are reordered; they belong to the model width. Rows are the outputs of the "
            "projection.",
            "not-moved": "No row has moved: reshaping alone keeps the order. Two axes must change places in between.",
            "first-head-repeated": "Every head got the rows of the first one: the reordering must start at row h*K.",
        },
    ),
    *about(
        "widths-that-do-not-fit",
        {
            "odd-accepted": "An odd head width is accepted. Features come in pairs here: raise a ValueError.",
            "sizes-unchecked": "Sizes that do not fit end in torch's own error: look first, and raise a ValueError.",
        },
        fails="test_odd_head_width",
    ),
    *about(
        "widths-that-do-not-fit",
        {
            "rest-dropped": "Where the rows cannot be divided among the heads, you drop the rest: raise a ValueError.",
            "assertion": "Sizes that do not fit are noticed, but not with a ValueError: raise one, with a message.",
        },
        fails="test_indivisible_rows",
    ),
    *form({"detached": "Gradients do not reach the old weight: the result is cut off from it."}, fails="test_gradient"),
    *form({"changes-weight": "Your function writes into the weight."}, fails="test_leaves_weight_alone"),
)
def interleaved_to_half(wrong: Wrong, weight: Tensor, n_heads: int) -> Tensor:
    """The reordering with switches, as a list of old rows."""
    n_rows = weight.shape[0]
    width = n_rows // n_heads
    if n_rows % n_heads and not wrong("rest-dropped"):
        if wrong("sizes-unchecked"):
            return weight.reshape(n_heads, width // 2, 2, weight.shape[1])
        refuse(wrong, "rows cannot be divided")
    if width % 2 and not wrong("odd-accepted"):
        if wrong("sizes-unchecked"):
            return weight.reshape(n_heads, width // 2, 2, weight.shape[1])
        refuse(wrong, "odd head width")
    if wrong("columns-moved"):
        return torch.cat((weight[:, 0::2], weight[:, 1::2]), dim=1)
    rows = torch.arange(n_heads * width)
    by_head = rows.reshape(1, -1) if wrong("across-heads") else rows.reshape(n_heads, width)
    if wrong("heads-fastest"):
        by_head = rows.reshape(width, n_heads).T
    if wrong("first-head-repeated"):
        by_head = by_head[:1].expand_as(by_head)
    parts = [by_head[:, 0::2], by_head[:, 1::2]]
    order = torch.cat(parts[::-1] if wrong("odd-rows-first") else parts, dim=1)
    if wrong("not-moved"):
        order = by_head
    elif wrong("inverse"):
        order = by_head.gather(1, order.argsort(dim=1))
    order = order.T if wrong("heads-fastest") else order
    moved = weight[order.flatten()]
    moved = moved.detach() if wrong("detached") else moved
    return weight.copy_(moved) if wrong("changes-weight") else moved


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
