"""Known mistakes of GELU, exact and in its tanh form."""

import math

import torch
from torch import Tensor

from grader.judge.misconception import Wrong
from grader.misconceptions.feedforward.activations import (
    ACTIVATION_DRIFT,
    HALVES,
    PARTS,
    activated,
    neighbours,
    own_argument,
)
from grader.misconceptions.feedforward.gates import neighbouring_gate
from grader.misconceptions.feedforward.shared import about, catalogue


@catalogue.flawed(
    "gelu",
    *neighbours("exact-form"),
    *PARTS,
    *HALVES,
    *about(
        "roots-and-constants",
        {
            "no-root-of-two": "erf is taken of x itself; x is divided by the root of 2 inside it.",
            "two-without-root": "Inside erf, x is divided by 2; its root belongs there.",
            "rounded-root": "The root of 2 is rounded to 1.41 or 1.414; use `math.sqrt(2)`.",
            "density": "x is multiplied by the normal density; the distribution function belongs there.",
        },
    ),
    *ACTIVATION_DRIFT,
)
def gelu(wrong: Wrong, x: Tensor) -> Tensor:
    """x times the normal distribution function."""
    wide, seen = own_argument(wrong, x)
    root = math.sqrt(2)
    if wrong("no-root-of-two"):
        root = 1.0
    if wrong("two-without-root"):
        root = 2.0
    if wrong("rounded-root"):
        root = 1.414
    half = 1.0 if wrong("half-missing") else 0.5
    gate = half * ((0 if wrong("one-missing") else 1) + torch.erf(seen / root))
    if wrong("density"):
        gate = torch.exp(-0.5 * seen * seen) / math.sqrt(2 * math.pi)
    other = neighbouring_gate(wrong, seen, ("tanh-form", "sigmoid-form", "silu", "relu"))
    return activated(wrong, x, wide, gate if other is None else other)


@catalogue.flawed(
    "gelu_tanh",
    *neighbours("tanh-form"),
    *PARTS,
    *HALVES,
    *about(
        "roots-and-constants",
        {
            "two-over-pi-without-root": "The constant before the bracket is 2 / pi; its root belongs there.",
            "cube-missing": "The cubic term is missing.",
            "bracket-cubed": "The whole bracket is cubed; only the x of the small term is.",
            "sigmoid-of-half": "Half of 1 + tanh(z) is the sigmoid of 2z; the sigmoid of z is taken.",
            "square-for-cube": "The small term has x squared; x cubed belongs there.",
            "constant-not-on-cube": "The root of 2 / pi multiplies x only; it multiplies the cubic term as well.",
            "misplaced-decimal": "The coefficient of the cube is 0.44715; it is 0.044715.",
            "rounded-coefficient": "The coefficient of the cube is rounded to 0.0447; it is 0.044715.",
        },
    ),
    *about(
        "overflow",
        {
            "tanh-by-hand": "tanh is computed from exponentials that overflow, and large numbers give NaN; torch.tanh "
            "does not.",
        },
        fails="test_up_to_ten_thousand",
    ),
    *ACTIVATION_DRIFT,
)
def gelu_tanh(wrong: Wrong, x: Tensor) -> Tensor:
    """x times a gate made of tanh."""
    wide, seen = own_argument(wrong, x)
    coefficient = 0.044715
    if wrong("misplaced-decimal"):
        coefficient = 0.44715
    if wrong("rounded-coefficient"):
        coefficient = 0.0447
    if wrong("cube-missing"):
        coefficient = 0.0
    small = coefficient * seen * seen * (1.0 if wrong("square-for-cube") else seen)
    constant = 2 / math.pi if wrong("two-over-pi-without-root") else math.sqrt(2 / math.pi)
    inner = constant * seen + small if wrong("constant-not-on-cube") else constant * (seen + small)
    if wrong("tanh-by-hand"):
        bent = (inner.exp() - (-inner).exp()) / (inner.exp() + (-inner).exp())
    else:
        bent = torch.tanh(inner)
    if wrong("bracket-cubed"):
        bent = torch.tanh(constant * (seen + coefficient * seen) ** 3)
    gate = (1.0 if wrong("half-missing") else 0.5) * ((0 if wrong("one-missing") else 1) + bent)
    if wrong("sigmoid-of-half"):
        gate = torch.sigmoid(inner)
    other = neighbouring_gate(wrong, seen, ("exact-form", "sigmoid-form", "silu", "relu"))
    return activated(wrong, x, wide, gate if other is None else other)
