"""What Gradescope laid out for the autograder: the submission, and what is known of it."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

from grader.course.model import Course
from grader.errors import UserError
from grader.export.cells import plain
from grader.workspace import MODULE_FOLDER

DEPTH = 4
"""Folders below the submission that are looked into: a zip or a repository holds the modules in one of its own."""
MOST_ENTRIES = 2000
_LONGEST = 200


class NothingHandedIn(UserError):
    """The submission holds no module that could be graded, or two folders of them."""


@dataclass(frozen=True, slots=True)
class Metadata:
    """names: of the submitters; late: seconds after the due date, None if that is not known."""

    id: str = ""
    names: tuple[str, ...] = ()
    late: int | None = None

    @property
    def submitters(self) -> str:
        """Whose it is, in words."""
        return ", ".join(self.names) or "submission"

    @property
    def says(self) -> tuple[str, ...]:
        """A sentence for the student if it is late: what that costs, Gradescope decides."""
        if not self.late:
            return ()
        return (f"Handed in {timedelta(seconds=self.late)} after the due date.",)


def read_metadata(path: Path) -> tuple[Metadata, str]:
    """What `submission_metadata.json` says, and what is wrong with it: it decides no points, so nothing raises."""
    try:
        record = json.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        return Metadata(), ""
    except (OSError, ValueError, RecursionError) as error:
        return Metadata(), f"{path.name} cannot be read: {error}."
    if not isinstance(record, dict):
        return Metadata(), f"{path.name} is no table."
    users = record.get("users")
    names = [_text(user.get("name")) for user in users if isinstance(user, dict)] if isinstance(users, list) else []
    return Metadata(_text(record.get("id")), tuple(filter(None, names)), _late(record)), ""


def modules_folder(submission: Path, course: Course) -> Path:
    """The folder of the lesson modules: the submission, or the one folder in it that holds some.

    Links are not followed. Raises NothingHandedIn, a sentence to the student; OSError if the submission itself cannot
    be listed, which is not the student's fault.
    """
    wanted = {f"{lesson.slug}.py" for lesson in course.lessons}
    level, seen, first = [submission], 0, f"{course.lessons[0].slug}.py"
    for _ in range(DEPTH + 1):
        found, below = list[Path](), list[Path]()
        for folder in level:
            try:
                entries = sorted(os.scandir(folder), key=lambda entry: entry.name)
            except OSError:
                if folder == submission:
                    raise
                continue  # one that cannot be opened holds nothing for us; the others may
            seen += len(entries)
            if any(entry.name in wanted for entry in entries):
                found.append(folder)
            below += [
                Path(entry) for entry in entries if entry.is_dir(follow_symlinks=False) and _is_looked_into(entry.name)
            ]
        named = [folder for folder in found if folder.name == MODULE_FOLDER]
        if len(found) == 1 or len(named) == 1:
            return (named or found)[0]
        if found:
            where = " and ".join(f"{_text(str(folder.relative_to(submission)))}/" for folder in found[:2])
            raise NothingHandedIn(f"There are lesson files in {where}: which ones count? Hand in one folder of them.")
        if seen > MOST_ENTRIES:
            raise NothingHandedIn(f"There are more than {MOST_ENTRIES} files. Hand in the lesson files only.")
        level = below
    raise NothingHandedIn(
        f"No lesson file such as {first} was found, so there is nothing to grade. Hand in the files of your folder "
        f"{MODULE_FOLDER}/, or what `anatomy submit` packs."
    )


def _is_looked_into(name: str) -> bool:
    return not name.startswith((".", "__"))


def _late(record: Mapping[str, Any]) -> int | None:
    assignment = record.get("assignment")
    try:
        submitted = datetime.fromisoformat(record["created_at"])
        due = datetime.fromisoformat(assignment["due_date"]) if isinstance(assignment, dict) else None
        return max(0, int((submitted - due).total_seconds())) if due else None
    except (KeyError, TypeError, ValueError):  # not there, null, or not as documented: then nobody knows
        return None


def _text(value: object) -> str:
    """A name or a number as one harmless line."""
    return " ".join(plain(str(value)).split())[:_LONGEST] if isinstance(value, str | int) else ""
