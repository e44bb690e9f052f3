"""What an autograder zip is asked to grade, and how: `assignment.json` in it."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from grader.errors import UserError
from grader.export.gradescope import VISIBILITIES, Visibility
from grader.options import DEFAULT_SEED

NAME = "assignment.json"
VERSION = 1


@dataclass(frozen=True, slots=True)
class Task:
    """lessons: slugs, in the order of the course; held_out: the seed is shown to nobody; visibility: of the tests;
    allow_weak: grade even where submitted code could read the grader's files."""

    lessons: tuple[str, ...]
    seed: int = DEFAULT_SEED
    held_out: bool = False
    hide_expected: bool = False
    visibility: Visibility = "visible"
    allow_weak: bool = False

    def to_json(self) -> bytes:
        """As it lies in the zip."""
        return (json.dumps({"version": VERSION, **asdict(self)}, indent=2) + "\n").encode("ascii")


def read_task(path: Path) -> Task:
    """Read it back; a person may have edited it. Raises UserError."""
    again = "Make the autograder zip again with `anatomy gradebook export --autograder`."
    try:
        record = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}. {again}") from None
    except ValueError as error:
        raise UserError(f"{path} is no JSON ({error}). {again}") from None
    if not isinstance(record, dict) or record.get("version") != VERSION:
        raise UserError(f"{path} is not of version {VERSION}, which this grader reads. {again}")
    if mistakes := _mistakes(record):
        raise UserError(f"{path}: {'; '.join(mistakes)}. {again}")
    fields = {name: value for name, value in record.items() if name != "version"}
    return Task(**{**fields, "lessons": tuple(fields["lessons"])})


def _mistakes(record: Mapping[str, Any]) -> list[str]:
    lessons, seed = record.get("lessons"), record.get("seed")
    wrong = {
        "`lessons` is no list of lessons": not isinstance(lessons, list)
        or not lessons
        or not all(isinstance(slug, str) for slug in lessons),
        "`seed` is no whole number": not isinstance(seed, int) or isinstance(seed, bool) or seed < 0,
        f"`visibility` is none of {', '.join(VISIBILITIES)}": record.get("visibility") not in VISIBILITIES,
    }
    for name in ("held_out", "hide_expected", "allow_weak"):
        wrong[f"`{name}` is neither true nor false"] = not isinstance(record.get(name), bool)
    known = {"version", *Task.__dataclass_fields__}
    wrong |= {f"there is no field {name!r}": True for name in record if name not in known}
    return [says for says, is_wrong in wrong.items() if is_wrong]
