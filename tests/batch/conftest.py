"""What the tests of the layouts share: a made course, and students with the names that break things."""

from collections.abc import Callable
from pathlib import Path

import pytest
from made_exports import Handed
from made_submissions import SOURCE

from grader.batch.collect import collect
from grader.batch.handed_in import Collection
from grader.course.model import Course

NAMES = (
    "Jos\u00e9 Zo\u00eb-Marie O'Neil",
    'Anna "Nan" Lee',
    "=cmd()",
    "+41 79",
    "Li",
    "\u738b\u5c0f\u660e",
    "n" * 150,
    "Ann Lee",
    "Ann Lee",
)


@pytest.fixture
def cohort() -> list[Handed]:
    """Students with numbers for ids, each with a file of their own."""
    return [
        Handed(f"{place:04}", name, {"first.py": SOURCE + b"# %d\n" % place}) for place, name in enumerate(NAMES, 1)
    ]


@pytest.fixture
def collected(made_course: Course) -> Callable[..., Collection]:
    """`collect` for the made course, asked for its first lesson."""

    def call(path: Path, *lessons: str, prefix: str | None = None) -> Collection:
        return collect(path, made_course, lessons or ("first",), prefix)

    return call
