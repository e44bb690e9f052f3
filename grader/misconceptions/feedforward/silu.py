"""Known mistakes of SiLU."""

import torch
from torch import Tensor

from grader.judge.misconception import Wrong
from grader.misconceptions.feedforward.activations import ACTIVATION_DRIFT, PARTS, activated, own_argument
from grader.misconceptions.feedforward.gates import neighbouring_gate
from grader.misconceptions.feedforward.shared import about, catalogue


@catalogue.flawed(
    "silu",
    *about(
        "a-neighbouring-activation",
        {
            "exact-form": "That is GELU, whose gate is the normal distribution function; here it is the sigmoid.",
            "sigmoid-form": "The sigmoid is taken of 1.702 x, which approximates GELU; here it is taken of x.",
            "relu": "That is ReLU, which has no soft gate.",
            "hard-swish": "That is hard-swish, whose gate is a straight line cut off at both ends.",
            "tanh-of-x": "The gate is tanh, which runs from -1 to 1; a sigmoid runs from 0 to 1.",
            "tanh-of-whole": "The sigmoid of x is half of 1 + tanh(x / 2); tanh is taken of x.",
        },
    ),
    *PARTS,
    *about(
        "a-part-of-the-formula-is-missing",
        {"softplus": "That is softplus, whose derivative is the sigmoid; x times the sigmoid is wanted."},
    ),
    *about(
        "overflow",
        {
            "exp-over-one-plus-exp": "The sigmoid is a quotient of two exponentials of x, and large numbers give "
            "infinity over infinity.",
        },
        fails="test_up_to_ten_thousand",
    ),
    *ACTIVATION_DRIFT,
)
def silu(wrong: Wrong, x: Tensor) -> Tensor:
    """x times its sigmoid."""
    wide, seen = own_argument(wrong, x)
    gate = seen.exp() / (1 + seen.exp()) if wrong("exp-over-one-plus-exp") else torch.sigmoid(seen)
    if wrong("tanh-of-whole"):
        gate = (1 + torch.tanh(seen)) / 2
    if wrong("softplus"):
        gate = torch.nn.functional.softplus(seen) / torch.where(wide == 0, 1.0, wide)
    other = neighbouring_gate(wrong, seen, ("exact-form", "sigmoid-form", "relu", "hard-swish", "tanh-of-x"))
    return activated(wrong, x, wide, gate if other is None else other)
