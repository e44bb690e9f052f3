"""What was asked and what came back, kept for the diagnosis."""

from __future__ import annotations

from dataclasses import dataclass

from grader.judge.answer import Answer
from grader.judge.comparison import Comparison
from grader.judge.probe import Probe
from grader.sandbox.reply import Outcome


@dataclass(frozen=True)
class Observation:
    """One call of a learner's function inside a test, with the verdict on it."""

    test: str
    probe: Probe
    answer: Answer
    outcome: Outcome
    comparison: Comparison

    @property
    def failed(self) -> bool:
        """Whether the outcome differs from the answer."""
        return self.comparison.difference is not None
