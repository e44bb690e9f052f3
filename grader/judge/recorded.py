"""The reference's answers to the public tests as bytes, and an examination that knows no others.

With each answer goes the question: what a test draws may differ in the last digit from one processor to another, so the
recorded inputs are put and not those that were drawn anew. Functions among them cannot be recorded and are taken from
the test. Of calls that laws make only the size of the result is kept: laws compare the learner's results among
themselves.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from grader.errors import GraderFault
from grader.judge.answer import Answer, ReferenceFailed, unknown
from grader.judge.check import KEPT_NUMBERS, Examination
from grader.judge.probe import Probe
from grader.judge.tolerance import Line
from grader.sandbox.inside.decoder import Decoder
from grader.sandbox.inside.encoder import Encoder
from grader.sandbox.inside.frames import WireError
from grader.sandbox.reply import Raised, Returned

VERSION = 1


@dataclass(frozen=True)
class Entry:
    """One question of a test with its answer. args and kwargs hold DRAWN where the test's own function belongs."""

    aim: str
    args: tuple[Any, ...]
    kwargs: Mapping[str, Any]
    answer: Answer


Recorded = Mapping[str, Sequence[Entry]]
"""The questions of one exercise, by test, in the order in which they are put."""


class _Drawn:
    """Stands for a function that the test draws."""


DRAWN = _Drawn()


class _Functions:
    """The references of a record: every function is the test's own."""

    def refer(self, value: object) -> tuple[int, int] | None:
        return (0, 0) if callable(value) else None

    def resolve(self, owner: int, number: int, label: str) -> object:  # noqa: ARG002  they are all the same
        return DRAWN


def write_answers(lesson: Mapping[str, Mapping[str, Sequence[tuple[Probe, Answer]]]]) -> bytes:
    """The answers to the tests of a lesson's exercises. Raises CannotCross for inputs that are no plain values."""
    exercises = {
        name: {test: [_entry(probe, given) for probe, given in asked] for test, asked in tests.items()}
        for name, tests in lesson.items()
    }
    return Encoder(_Functions(), keep_strides=True).encode({"version": VERSION, "exercises": exercises})


def read_answers(path: Path) -> Mapping[str, Recorded]:
    """What was recorded, by exercise. Raises GraderFault for a file that is missing or damaged."""
    try:
        document = Decoder(_Functions()).decode(bytearray(path.read_bytes()))
        if document["version"] != VERSION:
            raise ValueError(f"they are of version {document['version']}")
        return {
            name: {test: [_read(entry) for entry in asked] for test, asked in tests.items()}
            for name, tests in document["exercises"].items()
        }
    except (OSError, WireError, KeyError, TypeError, ValueError) as error:
        raise GraderFault(f"the recorded answers in {path} cannot be read: {error}. Install this again") from error


@dataclass
class RecordedExamination(Examination):
    """One exercise examined by what was recorded. `reference` is a stub: it has the signature and cannot be asked."""

    recorded: Recorded = field(default_factory=dict)

    def posed(self, test: str, position: int, probe: Probe) -> Probe:
        if probe.aim == "call":
            return probe
        entry = self._entry(test, position, probe)
        return replace(probe, args=_merged(entry.args, probe.args), kwargs=_merged(entry.kwargs, dict(probe.kwargs)))

    def known(self, test: str, position: int, probe: Probe) -> Answer | None:
        if probe.aim == "call":  # how often a law calls may depend on what it is told
            return unknown(max((e.answer.size for e in self.recorded.get(test, ())), default=KEPT_NUMBERS))
        return self._entry(test, position, probe).answer

    def _entry(self, test: str, position: int, probe: Probe) -> Entry:
        asked = self.recorded.get(test, ())
        if position >= len(asked) or asked[position].aim != probe.aim:
            raise ReferenceFailed(f"question {position + 1} of {test} is not among the recorded ones")
        return asked[position]


def _merged(recorded: Any, drawn: Any) -> Any:
    """The recorded inputs, with functions from those that were drawn."""
    if recorded is DRAWN:
        return drawn
    if isinstance(recorded, list | tuple) and isinstance(drawn, list | tuple) and len(recorded) == len(drawn):
        return type(recorded)(map(_merged, recorded, drawn))
    if isinstance(recorded, dict) and isinstance(drawn, dict) and recorded.keys() == drawn.keys():
        return {name: _merged(item, drawn[name]) for name, item in recorded.items()}
    if type(recorded) is not type(drawn) or isinstance(recorded, list | tuple | dict):
        raise ReferenceFailed("a test asks something else than what was recorded of it")
    return recorded


def _entry(probe: Probe, given: Answer) -> dict[str, Any]:
    if probe.aim == "call":
        return {"aim": "call", "size": given.size}
    entry: dict[str, Any] = {"aim": probe.aim, "args": tuple(probe.args), "kwargs": dict(probe.kwargs)}
    if not (isinstance(given.given, Returned) and isinstance(given.truth, Returned)):
        return entry
    entry |= {
        "value": given.given.value,
        "gradients": _pairs(given.given.gradients),
        "cotangent": given.cotangent,
        "lines": [(place, line.passes, line.fine) for place, line in given.lines.items()],
        "gradient_lines": [(path, line.passes, line.fine) for path, line in given.gradient_lines.items()],
    }
    if given.truth is not given.given:
        entry |= {"truth": given.truth.value, "true_gradients": _pairs(given.truth.gradients)}
    return entry


def _read(entry: Mapping[str, Any]) -> Entry:
    if entry["aim"] == "call":
        return Entry("call", (), {}, unknown(entry["size"]))
    if "value" not in entry:
        refused = Raised("ValueError", "", is_value_error=True)
        return Entry(entry["aim"], entry["args"], entry["kwargs"], Answer(refused, refused, None, {}, {}))
    given = Returned(entry["value"], _mapping(entry["gradients"]))
    truth = Returned(entry["truth"], _mapping(entry["true_gradients"])) if "truth" in entry else given
    lines = {place: Line(passes, fine) for place, passes, fine in entry["lines"]}
    gradient_lines = {path: Line(passes, fine) for path, passes, fine in entry["gradient_lines"]}
    answer = Answer(given, truth, entry["cotangent"], lines, gradient_lines)
    return Entry(entry["aim"], entry["args"], entry["kwargs"], answer)


def _pairs(gradients: Mapping[Any, Any] | None) -> list[tuple[Any, Any]] | None:
    """Gradients by path; a path need not be a string, as a key has to be."""
    return None if gradients is None else list(gradients.items())


def _mapping(pairs: Sequence[tuple[Any, Any]] | None) -> dict[Any, Any] | None:
    return None if pairs is None else dict(pairs)
