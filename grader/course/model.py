"""The course as frozen data: what `course.yaml` and each `lesson.yaml` say, and how its names are looked up."""

from collections.abc import Iterable
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path

from grader.errors import UserError


class UnknownName(UserError):
    """A lesson or exercise was asked for that the course does not have, or a name that several exercises share."""


@dataclass(frozen=True, slots=True)
class Minutes:
    """How long a lesson takes."""

    reading: int
    lab: int
    review: int

    @property
    def total(self) -> int:
        return self.reading + self.lab + self.review


def duration(minutes: int) -> str:
    """`45 min`, `2 h`, `1 h 55 min`."""
    hours, rest = divmod(minutes, 60)
    if not hours:
        return f"{rest} min"
    return f"{hours} h {rest} min" if rest else f"{hours} h"


@dataclass(frozen=True, slots=True)
class Limits:
    """What one test of a lesson may use: wall-clock seconds, address space in MB, printed text in KB."""

    seconds: float = 2.0
    memory_mb: int = 1024
    output_kb: int = 64


@dataclass(frozen=True, slots=True)
class Exercise:
    """One function to write.

    `section` is the anchor of a heading in the lesson's page; `forbidden` the last names under which torch offers the
    whole exercise; `hints` are staged, from a question to nearly the line.
    """

    lesson: str
    name: str
    points: int
    section: str
    concepts: tuple[str, ...]
    todo: str
    forbidden: tuple[str, ...]
    hints: tuple[str, ...]

    @property
    def id(self) -> str:
        """The name used in reports, records and on the command line: `normalization.rms_norm`."""
        return f"{self.lesson}.{self.name}"


@dataclass(frozen=True)
class Lesson:
    """One lesson: its slug names the same thing in every folder; `folder` is where its page and YAML lie."""

    slug: str
    title: str
    summary: str
    minutes: Minutes
    needs: tuple[str, ...]
    sources: tuple[str, ...]
    limits: Limits
    exercises: tuple[Exercise, ...]
    folder: Path

    @property
    def points(self) -> int:
        return sum(exercise.points for exercise in self.exercises)

    @property
    def page(self) -> Path:
        """The lesson's text, `lesson.md`."""
        return self.folder / "lesson.md"

    def exercise(self, name: str) -> Exercise:
        """The exercise of that name. Raises UnknownName."""
        for exercise in self.exercises:
            if exercise.name == name:
                return exercise
        names = [exercise.name for exercise in self.exercises]
        raise UnknownName(f"Lesson {self.slug} has no exercise {name!r}.{_nearest(name, names, self.slug + '.')}")


@dataclass(frozen=True)
class Course:
    """All lessons in the order in which they are taught."""

    title: str
    lessons: tuple[Lesson, ...]
    folder: Path = field(compare=False)

    @cached_property
    def exercises(self) -> tuple[Exercise, ...]:
        """All exercises in the order of the course."""
        return tuple(exercise for lesson in self.lessons for exercise in lesson.exercises)

    @cached_property
    def _positions(self) -> dict[str, int]:
        return {exercise.id: position for position, exercise in enumerate(self.exercises)}

    @property
    def points(self) -> int:
        return sum(lesson.points for lesson in self.lessons)

    def lesson(self, slug: str) -> Lesson:
        """The lesson of that slug. Raises UnknownName."""
        for lesson in self.lessons:
            if lesson.slug == slug:
                return lesson
        slugs = [lesson.slug for lesson in self.lessons]
        raise UnknownName(f"There is no lesson {slug!r}.{_nearest(slug, slugs)}")

    def exercise(self, id: str) -> Exercise:  # noqa: A002  the field's own name for it
        """The exercise with that id, `lesson.name`. Raises UnknownName."""
        try:
            return self.exercises[self._positions[id]]
        except KeyError:
            raise UnknownName(f"There is no exercise {id!r}.{_nearest(id, self._positions)}") from None

    def has(self, id: str) -> bool:  # noqa: A002  as above
        """Whether an exercise has that id: records may speak of exercises of another version of the course."""
        return id in self._positions

    def position(self, exercise: Exercise | str) -> int:
        """Where an exercise (or its id) stands in the course, from 0: the sort key of every listing."""
        return self._positions[exercise if isinstance(exercise, str) else exercise.id]

    def ordered(self, exercises: Iterable[Exercise]) -> tuple[Exercise, ...]:
        """The exercises in the order of the course, each once."""
        return tuple(sorted(set(exercises), key=self.position))

    def resolve(self, text: str) -> list[Exercise]:
        """The exercises that a person means by a lesson, `lesson.function` or a function's name alone.

        Where a lesson and a function share a name (`attention`), the lesson is meant. Raises UnknownName.
        """
        for lesson in self.lessons:
            if lesson.slug == text:
                return list(lesson.exercises)
        return [self.resolve_exercise(text)]

    def resolve_exercise(self, text: str) -> Exercise:
        """The one exercise that a person means by `lesson.function` or a function's name alone. Raises UnknownName."""
        if text in self._positions:
            return self.exercise(text)
        same_name = [exercise for exercise in self.exercises if exercise.name == text]
        if len(same_name) == 1:
            return same_name[0]
        if same_name:
            ids = ", ".join(exercise.id for exercise in same_name)
            raise UnknownName(f"{text!r} is the name of several exercises. Write one of: {ids}.")
        slugs = [lesson.slug for lesson in self.lessons]
        if text in slugs:
            ids = ", ".join(exercise.id for exercise in self.lesson(text).exercises)
            raise UnknownName(f"{text!r} is a whole lesson; one exercise is needed here. Write one of: {ids}.")
        known = [*self._positions, *slugs, *(exercise.name for exercise in self.exercises)]
        raise UnknownName(f"There is no lesson or exercise {text!r}.{_nearest(text, known)}")


def _nearest(name: str, known: Iterable[str], prefix: str = "") -> str:
    import difflib  # only a mistyped name needs it

    close = difflib.get_close_matches(name, list(known), n=1, cutoff=0.5)
    if close:
        return f" Did you mean {prefix}{close[0]}?"
    return " `anatomy list` names them all."
