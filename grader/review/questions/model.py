"""Questions as frozen data: as written, as drawn with numbers, the key to a drawn one, and the mark for an answer."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from pathlib import Path
from typing import Any, Literal, get_args

Kind = Literal["choice", "multi", "numeric", "shape", "order", "short", "code", "explain"]
KINDS: tuple[Kind, ...] = get_args(Kind)

PASSES_EXPLAIN = 0.75
"""The share of ideas from which on a self-rated explanation is not missed."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where something was written, for messages: the file, the line (0: the whole file) and the question's id."""

    path: Path
    line: int
    item: str


NOWHERE = Place(Path("quiz.yaml"), 0, "")
"""The place of questions that no file holds."""


@dataclass(frozen=True, slots=True)
class Parameter:
    """`$name` in the arguments of a call: the drawn value of that parameter."""

    name: str


@dataclass(frozen=True, slots=True)
class TensorLiteral:
    """`{tensor: ..., dtype: ...}`: numbers and Parameters in nested lists, or a single one; `dtype` is torch's name."""

    values: Any
    dtype: str


@dataclass(frozen=True)
class Call:
    """What a function of the reference returns, or one part of it.

    ref: `reference.positions:alibi_slopes`; args: keyword arguments, plain values and lists and dicts of them with
    Parameters and TensorLiterals inside; at: indices and keys that lead to the part which is asked for.
    """

    ref: str
    args: Mapping[str, Any]
    at: tuple[int | str | Parameter, ...] = ()
    place: Place = field(default=NOWHERE, compare=False)

    @property
    def exercise(self) -> str:
        """The exercise whose reference is called: `positions.alibi_slopes`."""
        return self.ref.removeprefix("reference.").replace(":", ".")


@dataclass(frozen=True)
class Variant:
    """What the same call returns when a catalogued mistake is made."""

    misconception: str
    place: Place = field(default=NOWHERE, compare=False)


Literals = float | str | tuple[str, ...] | tuple[int, ...]
"""An answer as it is written down: a number, a text, texts (option ids, spellings, ideas), an order."""


@dataclass(frozen=True)
class Slip:
    """A wrong answer that is known beforehand, and what to say to it."""

    value: Call | Variant | Literals
    feedback: str
    place: Place = field(default=NOWHERE, compare=False)


@dataclass(frozen=True, slots=True)
class Option:
    """One of the offered answers; `id` is what is compared and logged, never the place where it is shown."""

    id: str
    text: str
    right: bool
    feedback: str


@dataclass(frozen=True, slots=True)
class Param:
    """A number (or a list, or a text) that is drawn: one of `values`."""

    name: str
    values: tuple[Any, ...] | range


@dataclass(frozen=True, slots=True)
class Tolerance:
    """What a numeric answer may differ by, bounds included: `amount` for atol and rtol, `low` to `high` for range."""

    kind: Literal["atol", "rtol", "range", "exact"]
    amount: float = 0.0
    low: float = 0.0
    high: float = 0.0

    @property
    def says(self) -> str:
        """The words for it in a prompt: `within 0.02`, `within 1 percent`, `between 3 and 4`, `exact`."""
        match self.kind:
            case "atol":
                return f"within {decimal(self.amount)}"
            case "rtol":
                return f"within {decimal(self.amount, percent=True)} percent"
            case "range":
                return f"between {decimal(self.low)} and {decimal(self.high)}"
            case "exact":
                return "exact"


def decimal(number: float, *, percent: bool = False) -> str:
    """A number of a quiz file as people write it: no exponent, no zeros at the end."""
    exact = Decimal(str(number)) * (100 if percent else 1)
    text = f"{exact:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


@dataclass(frozen=True)
class Question:
    """One question as it was written. `options` are those of choice and multi; `tolerance` is that of numeric.

    rungs: the rungs on which it may be asked, None for all; one_answer: the author says that the answer does not
    depend on the numbers, on purpose; pool: so many draws there are, as many as seeds by default.
    """

    id: str
    lesson: str
    version: int
    kind: Kind
    concepts: tuple[str, ...]
    prompt: str
    explanation: str
    answer: Call | Literals
    hints: tuple[str, ...] = ()
    params: tuple[Param, ...] = ()
    options: tuple[Option, ...] = ()
    also: tuple[Slip, ...] = ()
    tolerance: Tolerance | None = None
    rungs: frozenset[int] | None = None
    one_answer: bool = False
    pool: int | None = None
    line: int = field(default=0, compare=False)
    path: Path = field(default=NOWHERE.path, compare=False)

    @property
    def place(self) -> Place:
        return Place(self.path, self.line, self.id)


@dataclass(frozen=True)
class Drawn:
    """A question with the numbers of one seed in its texts and its options in that seed's order.

    params: JSON values, as they are logged.
    """

    question: Question
    seed: str
    params: Mapping[str, Any]
    prompt: str
    options: tuple[Option, ...]
    hints: tuple[str, ...]
    explanation: str


@dataclass(frozen=True)
class Key:
    """The right answer to a drawn question, and the slips that can be told from it.

    value: a number; sizes as expressions; the printed text; accepted spellings; option ids; an order; ideas.
    shown: the right answer as a person reads it (Markdown with math, as prompts are).
    """

    value: Literals
    slips: tuple[tuple[Literals, str], ...]
    shown: str


@dataclass(frozen=True, slots=True)
class Mark:
    """What an answer is worth: `score` from 0 to 1; `missed` sends the item into the next rung.

    feedback: Markdown, "" when nothing is known about this answer; given: the answer as it is logged (option ids).
    """

    score: float
    right: bool
    missed: bool
    feedback: str
    given: str


@dataclass(frozen=True, slots=True)
class AskBack:
    """The answer could not be read, or in two ways: ask again; no attempt was used."""

    says: str


def right_or_wrong(right: bool, feedback: str, given: str) -> Mark:
    """The mark of a kind that knows no halves."""
    return Mark(1.0 if right else 0.0, right, not right, feedback, given)
