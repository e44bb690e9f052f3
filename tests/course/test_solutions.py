"""A solution is the answer with what it needs of its own file."""

from pathlib import Path

import pytest

from grader.course.mistakes import CourseErrors
from grader.course.model import Course
from grader.course.solutions import solution_source


def test_helpers_and_constants_come_along(made_course: Course, answers: Path) -> None:
    solution = solution_source(made_course.lesson("first"), made_course.exercise("first.double"), answers)
    assert solution.startswith("_TWO = 2.0\n\n\ndef double(")
    assert solution.endswith("def _scaled(x: Tensor) -> Tensor:\n    return x * _TWO\n")
    assert "shared" not in solution


def test_other_exercises_stay_out(made_course: Course, answers: Path) -> None:
    solution = solution_source(made_course.lesson("second"), made_course.exercise("second.shared"), answers)
    assert "return halve(double(x))" in solution
    assert "def halve" not in solution


def test_a_missing_answer_is_named(made_course: Course, answers: Path) -> None:
    (answers / "first.py").write_text("x = 1\n", encoding="utf-8")
    with pytest.raises(CourseErrors, match=r"the answer to first\.double is missing"):
        solution_source(made_course.lesson("first"), made_course.exercise("first.double"), answers)
