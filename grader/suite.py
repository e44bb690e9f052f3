"""What the author of a suite imports: marks that say which exercise a class tests, and what a test is worth.

    @exercise("rms_norm")
    class TestRmsNorm:
        @value(2)
        def test_small_rows(self, check, draw):
            \"\"\"Each row is divided by its root mean square, then scaled.\"\"\"
            check(draw.tidy(2, 4), draw.tidy(4), eps=0.1)

The first test of a class is a value test on a small input. The points of the exercise (lesson.yaml) are shared out by
the weights. Tests of shape, dtype, refusals and laws pay only once the first value test has passed.

A few tests of each exercise carry `@public` above their other marks: `anatomy release` takes these, and what they need
of the file, into the student's bundle, with the reference's answers to them. Their code must give no answer away.
"""

from __future__ import annotations

import pytest

from grader.judge.check import Check
from grader.judge.draw import Draw

__all__ = ["Check", "Draw", "dtype", "exercise", "law", "public", "raises", "shape", "value"]


def exercise(name: str) -> pytest.MarkDecorator:
    """The class tests the exercise of this name in the module's lesson."""
    return pytest.mark.exercise(name)


public = pytest.mark.public
"""The test goes into the student's bundle."""


def value(weight: int = 1) -> pytest.MarkDecorator:
    """A test of values or gradients."""
    return pytest.mark.points("value", weight)


def shape(weight: int = 1) -> pytest.MarkDecorator:
    """A test of shapes."""
    return pytest.mark.points("shape", weight)


def dtype(weight: int = 1) -> pytest.MarkDecorator:
    """A test of dtypes, range and precision."""
    return pytest.mark.points("dtype", weight)


def raises(weight: int = 1) -> pytest.MarkDecorator:
    """A test that bad arguments are refused."""
    return pytest.mark.points("raises", weight)


def law(weight: int = 1) -> pytest.MarkDecorator:
    """A test of a stated law."""
    return pytest.mark.points("law", weight)
