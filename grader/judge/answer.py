"""What the reference answers to a probe, and how near a learner must come to it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import torch
from torch import Tensor

from grader.judge.probe import Probe, cotangent_like, run_here
from grader.judge.tolerance import FLOOR, GRADIENT_FLOOR, Line, line
from grader.judge.values import Place, size, tensors
from grader.sandbox.reply import NotAValue, Outcome, Path, Raised, Returned


class ReferenceFailed(Exception):
    """The reference could not answer a question of the suite: the course's own fault."""


@dataclass(frozen=True)
class Answer:
    """The expected outcome of a probe.

    given: the reference at the probe's own dtype; truth: in float64 on the same inputs; lines: the pass line of each
    floating tensor of the result; gradient_lines: the same for each gradient.
    """

    given: Outcome
    truth: Outcome
    cotangent: Any
    lines: dict[Place, Line]
    gradient_lines: dict[Path, Line]
    asked: dict[frozenset[str], Any] = field(default_factory=dict)
    """What misconceptions answer, by their names (see judge.agreement, which asks each only once)."""
    only_size: int | None = None
    """Set where nothing is known of the answer but how many numbers it holds: a law's call, without a reference."""

    @property
    def known(self) -> bool:
        """Whether there is something to compare with."""
        return self.only_size is None

    @property
    def size(self) -> int:
        """How many numbers the result and its gradients hold."""
        if self.only_size is not None:
            return self.only_size
        return size((self.given.value, self.given.gradients)) if isinstance(self.given, Returned) else 0


def unknown(numbers: int) -> Answer:
    """An answer of which only the size is known."""
    return Answer(Returned(None), Returned(None), None, {}, {}, only_size=numbers)


def answer(reference: Callable[..., Any], probe: Probe) -> Answer:
    """Ask the reference. Raises ReferenceFailed if it raises where a value is wanted."""
    cotangent = None
    if probe.wrt:
        plain = run_here(reference, probe)
        cotangent = cotangent_like(plain.value, probe.cotangent_seed) if isinstance(plain, Returned) else None
    given = run_here(reference, probe, cotangent)
    if isinstance(given, NotAValue):
        raise ReferenceFailed(f"the reference returned {given.description}")
    if isinstance(given, Raised) != (probe.aim == "raises"):
        raised = f"raised {given.type_name}: {given.message}" if isinstance(given, Raised) else "did not raise"
        raise ReferenceFailed(f"the reference {raised}")
    if not isinstance(given, Returned):
        return Answer(given, given, cotangent, {}, {})
    dtype = probe.dtype
    truth = given if dtype in (None, torch.float64) else run_here(reference, probe.cast(torch.float64), cotangent)
    working = run_here(reference, probe.cast(torch.float32), cotangent) if dtype == torch.float64 else given
    if not isinstance(truth, Returned):
        raise ReferenceFailed(f"the reference failed in float64: {truth}")
    coarse = working if isinstance(working, Returned) else None
    return Answer(
        given=given,
        truth=truth,
        cotangent=cotangent,
        lines=_lines(dict(tensors(truth.value)), dict(tensors(coarse.value)) if coarse else {}, probe, FLOOR),
        gradient_lines=_lines(
            {path: g for path, g in (truth.gradients or {}).items() if g is not None},
            {path: g for path, g in ((coarse and coarse.gradients) or {}).items() if g is not None},
            probe,
            GRADIENT_FLOOR,
        ),
    )


def _lines(truths: dict[Any, Tensor], working: dict[Any, Tensor], probe: Probe, floor: float) -> dict[Any, Line]:
    return {
        place: line(truth.double(), working.get(place), probe.dtype or truth.dtype, probe.closeness, floor)
        for place, truth in truths.items()
        if truth.is_floating_point()
    }
