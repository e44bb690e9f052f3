"""What a panel is: numbers that functions of the course give, controls to move through them, and what to notice.

Every number of a panel is computed here, for every place of every control, by the reference or by a learner's
functions. The page's script looks numbers up; it computes none of them.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from grader.run.functions import Functions

Data: TypeAlias = Mapping[str, Any]
"""The numbers of a panel as JSON values, by part; `given` holds what no function computes."""
Compute: TypeAlias = Callable[[Functions, Functions], Any]
"""(functions, reference) -> tensors, numbers, texts, lists and dicts of them. What is shown comes from `functions`,
what only leads up to it from `reference`: so a fault shows at its own function and nowhere else."""


@dataclass(frozen=True, slots=True)
class Slider:
    """A range of numbers from `low` to `high`."""

    name: str
    label: str
    low: float
    high: float
    step: float
    start: float
    unit: str = ""


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several, each a value and the words for it."""

    name: str
    label: str
    options: tuple[tuple[str, str], ...]
    start: str


@dataclass(frozen=True, slots=True)
class Toggle:
    """On or off."""

    name: str
    label: str
    start: bool


@dataclass(frozen=True, slots=True)
class Player:
    """A slider over whole steps that can also play by itself: play, step, back, speed."""

    name: str
    label: str
    low: int
    high: int
    start: int


Control: TypeAlias = Slider | Choice | Toggle | Player
Settings: TypeAlias = Mapping[str, Any]
"""A value for each control."""


@dataclass(frozen=True, slots=True)
class Part:
    """Numbers that stand or fall together: one function is not written, and the others still show.

    exercises: the functions of the course that `compute` calls through its first argument.
    """

    name: str
    exercises: tuple[str, ...]
    compute: Compute


@dataclass(frozen=True, slots=True)
class Number:
    """A number of a table and how many digits after the point are shown."""

    value: float
    digits: int = 2


Cell: TypeAlias = Number | str


@dataclass(frozen=True, slots=True)
class Table:
    """The numbers behind a picture. The first cell of each row names the row."""

    caption: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]


@dataclass(frozen=True, slots=True)
class Guess:
    """A question that may be answered before the controls are moved; `at` is where the page then goes."""

    ask: str
    at: Settings
    digits: int = 2


@dataclass(frozen=True)
class Panel:
    """One panel.

    lesson, after: it stands at the end of the part of that page which this anchor heads; intro: what is shown, notice:
    the one thing to look for; given: what no function computes (names, the text); table, said: the numbers and the
    sentence for the controls' starting places, as the page shows them without a script.
    """

    name: str
    title: str
    lesson: str
    after: str
    intro: str
    notice: str
    controls: tuple[Control, ...]
    parts: tuple[Part, ...]
    table: Callable[[Data], Table]
    said: Callable[[Data], str]
    guess: Guess | None = None
    given: Callable[[], Data] = field(default=dict)

    @property
    def exercises(self) -> tuple[str, ...]:
        """The functions of the course that the panel shows, each once."""
        return tuple(dict.fromkeys(exercise for part in self.parts for exercise in part.exercises))
