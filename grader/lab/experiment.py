"""What an experiment is, what it finds, and the four of the course. Nothing here imports torch."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Protocol

from grader.errors import UserError
from grader.lab.figure import Figure

Value = int | float | str | bool | None
"""A cell of a record. A number that is not finite is None, since JSON has no word for it."""
Row = Mapping[str, Value]


class Progress(Protocol):
    """Told how far an experiment has come, in units of work that take about the same time each."""

    def begin(self, total: float) -> None:
        """Say how many units there will be."""

    def stage(self, words: str) -> None:
        """Say what runs now."""

    def advance(self, units: float) -> None:
        """So much more is done."""


@dataclass(frozen=True, slots=True)
class Column:
    """A column of a printed table: the key in its rows, the heading with its unit, and how a number is written."""

    key: str
    heading: str
    spec: str = ""
    """A format of Python's, such as `.3f`; empty for whole numbers and words."""

    def cell(self, row: Row) -> str:
        """What stands in the row; a dash for None."""
        value = row[self.key]
        if value is None:
            return "-"
        return format(value, self.spec) if isinstance(value, int | float) and self.spec else str(value)


@dataclass(frozen=True, slots=True)
class Listing:
    """A table of what was found: rows of the record under a heading of their own."""

    title: str
    columns: tuple[Column, ...]
    rows: Sequence[Row]


@dataclass(frozen=True, slots=True)
class Findings:
    """What an experiment found.

    settings: every number and word that it was run with. measured: rows that a second run with the same seed gives
    again, number for number, by the name of the table. timing: rows that it does not.
    """

    settings: Mapping[str, object]
    measured: Mapping[str, Sequence[Row]]
    timing: Mapping[str, Sequence[Row]]
    figure: Figure
    listings: tuple[Listing, ...]


@dataclass(frozen=True, slots=True)
class Experiment:
    """A named experiment; `grader.lab.<module>` runs it with `run(seed, progress)`.

    question, baseline, changed and expected are said before anything is measured, and stand in the record.
    """

    name: str
    module: str
    question: str
    baseline: str
    changed: str
    expected: str

    def run(self, seed: int, progress: Progress) -> Findings:
        """Run it. Imports torch."""
        run: Callable[[int, Progress], Findings] = import_module(f"grader.lab.{self.module}").run
        return run(seed, progress)


EXPERIMENTS = (
    Experiment(
        "depth",
        "depth",
        question="Where should the norm stand as a decoder grows deeper: before each sublayer, or after the sum?",
        baseline="pre-norm, h + f(norm(h)), at the same depth, with the same data, steps and learning rate",
        changed="the place of the norm (post-norm: norm(h + f(h)), without and with warm-up), at each depth",
        expected="Shallow models learn alike. From some depth on post-norm without warm-up stops learning and stays "
        "near the loss of word frequencies; pre-norm does not. Warm-up softens that.",
    ),
    Experiment(
        "length",
        "length",
        question="Which way of telling positions still works beyond the length that the model was trained on?",
        baseline="the same decoder with no positions at all (order is known through the causal mask only)",
        changed="how the model is told positions: sinusoidal table, RoPE, ALiBi",
        expected="Up to the trained length all are close. Beyond it the sinusoidal table and RoPE meet angles that "
        "were never trained and the loss jumps; ALiBi stays nearly flat.",
    ),
    Experiment(
        "cache",
        "cache",
        question="What does a key-value cache save for each new token, and what does it cost in memory?",
        baseline="recomputation: the whole sequence goes through the model again for each new token",
        changed="keys and values of earlier tokens are kept and read back",
        expected="The logits are the same up to rounding. The time of a cached token grows slowly with the length, "
        "that of a recomputed one at least in proportion; the cache grows exactly as kv_cache_bytes says.",
    ),
    Experiment(
        "budget",
        "budget",
        question="If each query may read only a few of the keys before it, which ones should be kept?",
        baseline="full attention, and keys kept at random (the query's own always among them)",
        changed="which keys are kept, and how many: newest, first and newest, highest scores",
        expected="Highest scores need the fewest keys. Newest keys lose what was said early; the first keys beside "
        "the newest help if the trained model rests its attention there.",
    ),
)


def find_experiment(name: str, experiments: Sequence[Experiment] = EXPERIMENTS) -> Experiment:
    """The experiment of that name. Raises UserError, with all names, for another one."""
    for experiment in experiments:
        if experiment.name == name:
            return experiment
    names = ", ".join(experiment.name for experiment in experiments)
    raise UserError(f"There is no experiment {name!r}. There are: {names}. `anatomy lab` says what each one asks.")
