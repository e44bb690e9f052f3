"""What this installation is: the whole course, or the student's bundle that `anatomy release` writes.

A bundle has no reference, no misconceptions and none of the hidden tests. In their place it has a folder of data: the
reference's answers to the public tests, the keys of the quizzes for a number of draws, and the stubs. Everything that
differs between the two is asked here, or follows from what is asked here.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from grader.errors import GraderFault, UserError
from grader.places import engine_folder

VERSION = 1
"""Of the form of a bundle's data."""
COMMANDS = frozenset(
    (
        "start", "list", "status", "grade", "hint", "reset", "quiz", "review", "due", "stats", "complete", "restart",
        "pause", "undo", "settings", "calendar", "log", "submit", "doctor",
    )
)  # fmt: skip
"""What `anatomy` can do in a bundle."""


@dataclass(frozen=True)
class Bundle:
    """What a bundle says of itself. seed: of the inputs of its tests; instances: draws of each quiz item."""

    seed: int
    instances: int
    folder: Path

    @property
    def answers(self) -> Path:
        """The folder of the recorded answers, a file a lesson."""
        return self.folder / "answers"

    @property
    def keys(self) -> Path:
        """The folder of the keys of the quizzes, a file a lesson."""
        return self.folder / "keys"


def bundle_folder(engine: Path) -> Path:
    """Where the data of a bundle lie; there is no such folder in the whole course."""
    return engine / "_data" / "bundle"


def manifest(seed: int, instances: int) -> str:
    """What a bundle says of itself, as the text of its file."""
    return json.dumps({"version": VERSION, "seed": seed, "instances": instances}) + "\n"


@cache
def bundle() -> Bundle | None:
    """The bundle that this is, None in the whole course. Raises GraderFault for one that cannot be read."""
    folder = bundle_folder(engine_folder())
    if not folder.is_dir():
        return None
    try:
        said = json.loads((folder / "bundle.json").read_text(encoding="utf-8"))
        if said["version"] == VERSION:
            return Bundle(int(said["seed"]), int(said["instances"]), folder)
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise GraderFault(f"this student's edition is damaged in {folder}: {error}. Install it again") from error
    raise GraderFault(f"the data in {folder} are those of another version; install the student's edition again")


def offers(command: str) -> bool:
    """Whether `anatomy` has this command here."""
    return command in COMMANDS or bundle() is None


def elsewhere(command: str) -> str:
    """What a person reads who types a command that only the whole course has."""
    return (
        f"`anatomy {command}` is not in the student's edition, which has neither the answers nor what rests on them. "
        "Your instructor's course has it; `anatomy --help` names what is here."
    )


def refuse_other_seeds(seed: int) -> None:
    """Raise UserError for inputs whose answers are not here."""
    here = bundle()
    if here is not None and seed != here.seed:
        raise UserError(
            f"The student's edition has the answers to one set of inputs only: use --seed {here.seed}, or leave it out."
        )
