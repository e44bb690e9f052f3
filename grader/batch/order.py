"""What was asked of a run, kept beside its results, so that it can be asked again."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path

from grader.atomic import write_bytes
from grader.batch.fingerprint import fingerprint, lessons_needed
from grader.batch.run import Manner
from grader.course.model import Course
from grader.errors import UserError
from grader.options import DEFAULT_SEED, Options

ORDER = "run.json"
VERSION = 1
_SECRET_BYTES = 7
"""Of the hash of a seed file: as much as any tool that reads JSON keeps of a whole number."""
_SHORTEST_SECRET, _LONGEST_SECRET = 12, 65536


@dataclass(frozen=True, slots=True)
class Order:
    """submissions: where they lie; lessons: those graded; seed_file: where a held-out seed lies, empty if it is not
    held out; db: the gradebook, empty for the one in the output folder; assignment: its file, empty if there is none;
    assignment_id: what the gradebook calls it; stored: the hash of the file when the gradebook took it in.
    """

    submissions: str
    lessons: tuple[str, ...]
    seed: int = DEFAULT_SEED
    seed_file: str = ""
    hide_expected: bool = False
    prefix: str | None = None
    assignment: str = ""
    db: str = ""
    assignment_id: str = ""
    stored: str = ""

    def options(self) -> Options:
        """How to grade. Raises UserError for a seed file that cannot be used."""
        if not self.seed_file:
            return Options(self.seed, self.hide_expected)
        return Options(secret_seed(Path(self.seed_file)), self.hide_expected, held_out=True)

    def manner(self, course: Course, lessons: Sequence[str], exercises: Sequence[str], *, allow_weak: bool) -> Manner:
        """How a run for this order grades these exercises of these lessons."""
        needed = lessons_needed(course, lessons)
        return Manner(tuple(exercises), needed, self.options(), fingerprint(course, lessons), allow_weak)

    def save(self, out: Path) -> None:
        """Keep it in an output folder, without any secret: of the seed only where its file lies, and no password.

        Raises UserError.
        """
        record = {"version": VERSION, **asdict(self), "db": without_password(self.db)}
        content = json.dumps(record, indent=2) + "\n"
        write_bytes(out / ORDER, content.encode("ascii"))

    @classmethod
    def load(cls, out: Path) -> Order:
        """What was asked of the run in an output folder. Raises UserError if there was none."""
        path = out / ORDER
        try:
            record = json.loads(path.read_text("ascii"))
            version = record.pop("version")
            if version != VERSION:
                raise UserError(f"{path} is of version {version}; this is a program of version {VERSION}. Update it.")
            return cls(**{**record, "lessons": tuple(record["lessons"])})
        except FileNotFoundError:
            raise UserError(
                f"There is no {ORDER} in {out}: nothing was graded into that folder. Begin with `anatomy batch`."
            ) from None
        except OSError as error:
            raise UserError(f"{path} cannot be read: {error.strerror}.") from None
        except (ValueError, TypeError, KeyError, AttributeError):
            raise UserError(f"{path} is damaged. Run `anatomy batch SUBMISSIONS --out {out}` again.") from None


def secret_seed(path: Path) -> int:
    """The seed that a file's text makes. White space around it does not count. Raises UserError."""
    try:
        with path.open("rb") as file:
            secret = file.read(_LONGEST_SECRET).strip()
    except OSError as error:
        raise UserError(f"The seed file {path} cannot be read: {error.strerror}.") from None
    if len(secret) < _SHORTEST_SECRET:
        raise UserError(
            f"The seed file {path} is too short to be a secret. Write a line into it that nobody can guess, "
            f"{_SHORTEST_SECRET} characters or more."
        )
    return int.from_bytes(hashlib.sha256(secret).digest()[:_SECRET_BYTES])


def without_password(db: str) -> str:
    """A database's URL as it may lie in a file: the password comes from where the driver looks, `~/.pgpass` say."""
    if "://" not in db:
        return str(Path(db).absolute()) if db else ""
    from grader.gradebook import connection  # SQLAlchemy is slow to import, and most runs name no database

    return connection.without_password(db)
