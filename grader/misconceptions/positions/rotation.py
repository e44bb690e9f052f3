"""Known mistakes of applying RoPE, in both layouts."""

from dataclasses import dataclass

import torch
from torch import Tensor

from grader.judge.misconception import Misconception, Wrong
from grader.misconceptions.positions.shared import about, catalogue, form, refuse


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
