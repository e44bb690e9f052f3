"""Causes that any function may have, told from which questions failed and how."""

import pytest
import torch
from torch import Tensor

from grader.judge.answer import answer
from grader.judge.comparison import compare
from grader.judge.observation import Observation
from grader.judge.patterns import pattern
from grader.judge.probe import Probe, run_here


def centre(x: Tensor) -> Tensor:
    if x.shape[-1] < 2:
        raise ValueError("one feature has no spread")
    return x - x.mean(-1, keepdim=True)


def draw(*shape: int, dtype: torch.dtype = torch.float64) -> Tensor:
    return torch.randn(shape, generator=torch.Generator().manual_seed(len(shape)), dtype=torch.float64).to(dtype)


PROBES = [
    Probe((draw(3),)),
    Probe((draw(2, 3),)),
    Probe((draw(4, 2, 3),)),
    Probe((draw(0, 2, 3),)),
    Probe((draw(2, 3),), aim="gradient", wrt=(0,)),
    Probe((draw(2, 3, dtype=torch.bfloat16),)),
    Probe((draw(5, 1),), aim="raises"),
]


def told(function) -> str | None:
    seen = []
    for probe in PROBES:
        expected = answer(centre, probe)
        outcome = run_here(function, probe, expected.cotangent)
        seen.append(Observation("t", probe, expected, outcome, compare(outcome, expected, probe)))
    found = pattern(seen)
    return found.id if found else None


def only_matrices(x: Tensor) -> Tensor:
    _rows, _features = x.shape
    return centre(x)


def not_empty(x: Tensor) -> Tensor:
    if x.shape[-1] >= 2:
        x.max()
    return centre(x)


def refuses_rows_that_start_positive(x: Tensor) -> Tensor:
    if x.numel() and x.flatten()[0] > -10:
        raise ValueError("no")
    return centre(x)


def asserts(x: Tensor) -> Tensor:
    if x.shape[-1] < 2:
        raise AssertionError("no spread")
    return centre(x)


def in_place(x: Tensor) -> Tensor:
    result = centre(x)
    with torch.no_grad():
        if not x.requires_grad:
            x.zero_()
    return result


def half_only(x: Tensor) -> Tensor:
    return centre(x) * (2 if x.dtype == torch.bfloat16 else 1)


def plus_one(x: Tensor) -> Tensor:
    return centre(x) + 1


@pytest.mark.parametrize(
    ("function", "name"),
    [
        (centre, None),
        (only_matrices, "fixed-axes"),
        (not_empty, "empty-batch"),
        (refuses_rows_that_start_positive, "refuses-valid-arguments"),
        (asserts, "wrong-exception"),
        (lambda x: x - x.mean(-1, keepdim=True), "accepts-bad-arguments"),
        (in_place, "changes-arguments"),
        (half_only, "precision"),
        (lambda x: centre(x).detach(), "gradient"),
        (lambda x: centre(x) * 3, "factor"),
        (plus_one, "offset"),
        (lambda x: centre(x).abs(), None),
    ],
)
def test_the_pattern_of_failures_names_the_cause(function, name):
    assert told(function) == (f"general.{name}" if name else None)


def test_a_constant_factor_is_given_as_a_number():
    probe = PROBES[1]
    expected = answer(centre, probe)
    seen = []
    for _ in range(2):
        outcome = run_here(lambda x: centre(x) * 0.25, probe)
        seen.append(Observation("t", probe, expected, outcome, compare(outcome, expected, probe)))
    assert "0.25 times the expected one" in pattern(seen).says
