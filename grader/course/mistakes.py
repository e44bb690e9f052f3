"""What is wrong in the course's own files and in an instructor's, collected so that all of it is seen at once."""

from dataclasses import dataclass
from pathlib import Path

from grader.errors import UserError


@dataclass(frozen=True, slots=True, order=True)
class Mistake:
    """One thing to mend: the file, the line (1 is the first; 0 speaks of the whole file) and what to write instead."""

    path: Path
    line: int
    says: str

    def __str__(self) -> str:
        place = f"{self.path}:{self.line}" if self.line else str(self.path)
        return f"{place}: {self.says}"


class Mistakes(UserError):
    """A file cannot be used as it stands; `mistakes` holds every one that was found, in file order."""

    what = "The file"

    def __init__(self, mistakes: list[Mistake]) -> None:
        self.mistakes = tuple(sorted(set(mistakes)))
        count = len(self.mistakes)
        head = f"{self.what} has a mistake" if count == 1 else f"{self.what} has {count} mistakes"
        super().__init__("\n".join([f"{head}:", *(f"  {mistake}" for mistake in self.mistakes)]))

    def __reduce__(self) -> tuple[type["Mistakes"], tuple[list[Mistake]]]:
        """Cross from one process to another as what it is made of, not as its text."""
        return (type(self), (list(self.mistakes),))


class CourseErrors(Mistakes):
    """The course cannot be used as it stands."""

    what = "The course"
