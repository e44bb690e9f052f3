"""The texts of a student's bundle that belong to it as a project: what installs it, and what is read first."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Sequence
from importlib import metadata

from grader import __version__
from grader.course.model import Course
from grader.course.stubs import command_list
from grader.errors import GraderFault
from grader.places import clone_folder

DISTRIBUTION = "decoder-anatomy"
_NAMES = {"yaml": "pyyaml", "markdown_it": "markdown-it-py"}
"""What is imported, where the package that brings it has another name."""
_ALWAYS = ("numpy", "torch")
"""torch warns where there is no numpy, though it does not ask for it."""


def requirements(imported: set[str]) -> list[str]:
    """The course's own requirements that these imports need, as written there. Raises GraderFault if it has none."""
    wanted = {_normal(_NAMES.get(name, name)) for name in imported} | set(_ALWAYS)
    chosen = [line for line in _course_requirements() if _normal(re.split(r"[^\w.-]", line, maxsplit=1)[0]) in wanted]
    if not chosen:
        raise GraderFault("what the course requires cannot be found; install it again")
    return sorted(chosen)


def license_text() -> str | None:
    """The course's licence, None where it did not come along."""
    clone = clone_folder()
    if clone is not None and (clone / "LICENSE").is_file():
        return (clone / "LICENSE").read_text(encoding="utf-8")
    try:
        return metadata.distribution(DISTRIBUTION).read_text("licenses/LICENSE")
    except metadata.PackageNotFoundError:
        return None


def project_file(required: Sequence[str], *, licensed: bool) -> str:
    """The bundle's pyproject.toml."""
    lines = "".join(f'    "{line}",\n' for line in required)
    return f"""[build-system]
requires = ["hatchling>=1.26"]
build-backend = "hatchling.build"

[project]
name = "{DISTRIBUTION}"
version = "{__version__}"
description = "The student's edition of a course on the anatomy of decoder-only transformers."
readme = "README.md"
requires-python = ">=3.11"
{'license = "MIT"' + chr(10) + 'license-files = ["LICENSE"]' + chr(10) if licensed else ""}dependencies = [
{lines}]

[project.scripts]
anatomy = "grader.cli:main"

[tool.hatch.build]
ignore-vcs = true  # in a repository that ignores data folders, the recorded answers still belong to the package

[tool.hatch.build.targets.wheel]
packages = ["grader"]

[tool.hatch.build.targets.wheel.force-include]
"lessons" = "grader/_data/lessons"
"""


def readme(course: Course, tests: int, instances: int) -> str:
    """What a student reads first."""
    lessons = "\n".join(
        f"{number}. {lesson.title}: read `lessons/{lesson.slug}/lesson.md`, write in `student/{lesson.slug}.py`"
        for number, lesson in enumerate(course.lessons, start=1)
    )
    first = course.exercises[0]
    commands = {
        "anatomy grade": "where you stand, and what to open first",
        f"anatomy grade {first.lesson}": "one lesson; --watch grades again each time you save",
        f"anatomy grade {first.id}": "one function",
        f"anatomy hint {first.id}": "the next hint",
        f"anatomy reset {first.id}": "back to the stub; your text is kept aside",
        "anatomy status": "progress, what is due for review, and what comes next",
        f"anatomy quiz {first.lesson}": "questions on a lesson, whenever you like",
        "anatomy review": "the questions that are due today",
        "anatomy submit -o FILE.zip": "pack what you hand in; --with-log adds your records",
        "anatomy doctor": "what this machine offers",
    }
    return f"""# {course.title}

The student's edition. Set up and grade (Linux, macOS; Windows through WSL; Python 3.11 or newer):

```sh
python3 -m venv .venv && . .venv/bin/activate && pip install . && anatomy grade
```

On Linux, PyPI's default torch brings CUDA along, several GB of it. The course needs only the CPU: to save the
download, install PyTorch's own CPU build first (choose Linux, Pip, CPU under "Get started" on pytorch.org), then run
the line above.

{lessons}

{command_list(commands)}

## What `anatomy grade` tells you here

It makes {tests} **public checks**, two to five of each function: a small case with numbers, shapes or dtypes, what
must be refused, a law. Where yours differs it shows the input, your answer and the expected one. Your instructor's
grading asks more: other numbers and sizes, gradients, 16-bit inputs, edge cases. All right here is not all right there.

- The mistake behind a difference is not named here; your instructor's grading names it.
- A right function on top of a wrong one looks wrong here. The verdict then says what it rests on: begin there. Your
  instructor's grading judges it on correct versions of what it uses.
- Your code runs in a process of its own, and nothing is sent anywhere.

Quizzes and reviews are all here, with {instances} sets of numbers for each question.

## What is not here

`anatomy solution`, `run`, `lab` and `anki`, and what instructors use, are in the instructor's course alone: they rest
on the answers. Of the lesson `lab` the four functions are graded here as any others; its experiments and the check of a
report against their records need the whole course. Where a lesson's page says `anatomy lab ...` or `anatomy run ...`,
read on, or ask for a machine that has it.
"""


def _course_requirements() -> list[str]:
    clone = clone_folder()
    if clone is not None:
        project = tomllib.loads((clone / "pyproject.toml").read_text(encoding="utf-8"))["project"]
        return [str(line) for line in project["dependencies"]]
    try:
        return [line for line in metadata.requires(DISTRIBUTION) or () if "extra ==" not in line]
    except metadata.PackageNotFoundError:
        return []


def _normal(name: str) -> str:
    """A package's name as they are compared."""
    return re.sub(r"[-_.]+", "-", name).lower()
