"""What the exercises on activations share."""

import torch
from torch import Tensor

from grader.judge.misconception import Misconception, Wrong
from grader.misconceptions.feedforward.shared import about, drift

ACTIVATION_DRIFT = (
    *drift(
        {"changes-x": "The caller's x is overwritten: it is the residual stream, and still needed."},
        fails="test_leaves_arguments_alone",
    ),
    *drift(
        {
            "detached": "The result is cut off from x (by detach, no_grad or .data): nothing below it can be trained.",
            "gate-detached": "The gate is cut off from x, so that the gradient is only the gate itself; its slope is "
            "missing.",
        },
        fails="test_gradient",
    ),
    *drift({"returns-float32": "The result is float32 although x is not: give back its dtype."}, fails="test_dtype"),
)
PARTS = about(
    "a-part-of-the-formula-is-missing",
    {
        "gate-only": "That is the gate without its factor x.",
        "mirrored": "The gate is that of -x: it opens for negative numbers.",
    },
)
HALVES = about(
    "a-part-of-the-formula-is-missing",
    {
        "half-missing": "The factor one half is missing: the result is twice too large.",
        "one-missing": "The 1 is missing: the gate runs from -1/2 to 1/2 instead of from 0 to 1.",
    },
)


def neighbours(own: str) -> tuple[Misconception, ...]:
    """The other activations, one of which a learner may have written under this name."""
    says = {
        "exact-form": "That is the exact GELU with erf; the tanh form is wanted.",
        "tanh-form": "That is the tanh approximation of GELU, up to 0.0005 off; the exact form with erf is wanted.",
        "sigmoid-form": "That is the sigmoid approximation, x times the sigmoid of 1.702 x.",
        "silu": "That is SiLU.",
        "relu": "That is ReLU, which has no soft gate.",
    }
    return about("a-neighbouring-activation", {name: text for name, text in says.items() if name != own})


def activated(wrong: Wrong, x: Tensor, wide: Tensor, gate: Tensor) -> Tensor:
    """The factor times its gate, as it is handed back."""
    if wrong("gate-detached"):
        gate = gate.detach()
    out = gate if wrong("gate-only") else wide * gate
    if wrong("detached"):
        out = out.detach()
    return out.to(torch.float32 if wrong("returns-float32") else x.dtype)


def own_argument(wrong: Wrong, x: Tensor) -> tuple[Tensor, Tensor]:
    """x in float32 or better, as factor and as what the gate sees."""
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    if wrong("changes-x"):
        before = wide.clone()
        x.mul_(0.5)
        wide = before
    return wide, -wide if wrong("mirrored") else wide
