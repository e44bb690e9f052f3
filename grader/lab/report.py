"""The learner's report: its template, and whether each field is filled and each number it claims was measured."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.errors import UserError
from grader.lab import record
from grader.lab.numbers import FEWEST_DIGITS, Claim, borne_out, claims, nearest, standing, too_short
from grader.lab.record import BadRecord, RecordedNumber

FILE = "report.md"
MAX_BYTES = 500_000
RECORDS = "Records"
OBSERVED = "Observed effect"
FEWEST_WORDS = 3


@dataclass(frozen=True, slots=True)
class Field:
    """A field of the report and what it asks for. free: what is said there is no observation, its numbers are free."""

    name: str
    asks: str
    free: bool = False


FIELDS = (
    Field("Question", "One sentence with a question mark: what do you want to know?", free=True),
    Field("Baseline", "What is everything compared with, and how did it do?"),
    Field("Changed variable", "What one thing differs from the baseline, and which values did it take?"),
    Field("Expected effect", "What did you expect before you looked, and why? Numbers here are free.", free=True),
    Field(OBSERVED, "What was measured? At least one number, with its unit, and the spread over the seeds."),
    Field("Failure case", "Where does the effect vanish or turn round, or what did the experiment not show?"),
    Field("Next experiment", "What would you run next, and which outcome would change your mind?", free=True),
)
_FREE = {field.name.lower() for field in FIELDS if field.free}
_RECORD_NAME = re.compile(r"\d{8}-\d{6}(?:-\d{2})?-[a-z]+-seed\d+(?:\.\w+)?")
_HEADING = re.compile(r"##?\s+(?P<name>.*?)\s*#*\s*")
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_LIST_NUMBER = re.compile(r"^\s*\d+[.)]\s")

_RULES = """\
Fill in every field; lines like this one are not read. Then run `anatomy lab report` again: it checks that each number
stands in a record named below, in the unit of the record, rounded to three digits or more. 25 % is looked up as 0.25.
A number that follows from two recorded ones says so in brackets behind it: 38 % more (2.43 against 1.76), 1.4 times
(2.43 against 1.76), 0.67 nats (2.43 minus 1.76). Claim nothing that you did not run."""


@dataclass(frozen=True, slots=True)
class Problem:
    """What is wrong with a report; `line` counts from 1, None where no line is to blame."""

    message: str
    line: int | None = None

    def __str__(self) -> str:
        return f"line {self.line}: {self.message}" if self.line else self.message


@dataclass(frozen=True, slots=True)
class Verdict:
    """A number that the report claims, and whether a record bears it out."""

    claim: Claim
    stands: bool


@dataclass(frozen=True, slots=True)
class LabReport:
    """A report that was examined. Without one, `present` is False and nothing else is said."""

    path: Path
    present: bool
    records: tuple[str, ...] = ()
    claims: tuple[Verdict, ...] = ()
    problems: tuple[Problem, ...] = ()

    @property
    def fine(self) -> bool:
        """Whether it is there, complete, and claims nothing that was not run."""
        return self.present and not self.problems


@dataclass(frozen=True, slots=True)
class _Part:
    """A heading, its line, and the lines below it with their numbers, comments left out."""

    name: str
    line: int
    lines: tuple[tuple[int, str], ...]

    @property
    def text(self) -> str:
        return "\n".join(text for _, text in self.lines)


def write_template(folder: Path) -> Path:
    """Write `report.md`, with the newest record of each experiment named in it. A report that exists is left alone.

    Raises UserError if there is no record to report on, or the file cannot be written.
    """
    newest = {path.name.split("-seed")[0].rsplit("-", 1)[1]: path.name for path in record.find(folder)}
    if not newest:
        raise UserError(f"There is no record in {folder}. Run an experiment first, for example `anatomy lab depth`.")
    path = folder / FILE
    if not record.write_new(path, _template(sorted(newest.values())).encode()):
        raise UserError(f"{path} was written by someone else just now. Look at it, then run the command again.")
    return path


def examine(folder: Path) -> LabReport:
    """Check the report in a `lab` folder. A missing one is no error; whatever is wrong with one is a problem of it."""
    path = folder / FILE
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
        text = raw[:MAX_BYTES].decode()
    except FileNotFoundError:
        return LabReport(path, present=False)
    except OSError as error:
        return LabReport(path, True, problems=(Problem(f"{FILE} cannot be read ({error.strerror or error})."),))
    except UnicodeDecodeError:
        return LabReport(path, True, problems=(Problem(f"{FILE} is not UTF-8. Save it as UTF-8."),))
    if len(raw) > MAX_BYTES:
        return LabReport(path, True, problems=(Problem(f"{FILE} is larger than a report can be."),))
    parts = _parts(text)
    names = tuple(dict.fromkeys(name for part in _named(parts, RECORDS) for name in _names(part)))
    recorded, problems = _recorded(folder, names)
    problems += _fields(parts)
    verdicts: list[Verdict] = []
    for part in parts:
        if part.name.lower() in _FREE or part.name.lower() == RECORDS.lower():
            continue
        mine = [Verdict(claim, borne_out(claim, recorded)) for claim in _claims(part)]
        if part.name.lower() == OBSERVED.lower() and part.text.strip() and not mine:
            problems.append(Problem(f"{OBSERVED} claims no number. Say what was measured.", part.line))
        verdicts += mine
    refused = [verdict.claim for verdict in verdicts if not verdict.stands]
    others = _others(folder, names) if refused else []
    problems += [Problem(_refusal(claim, recorded, others), claim.line) for claim in refused]
    ordered = sorted(problems, key=lambda problem: problem.line or 0)
    return LabReport(path, True, names, tuple(verdicts), tuple(ordered))


def _template(names: Sequence[str]) -> str:
    named = "\n".join(f"- `{name}`" for name in names)
    fields = "\n\n".join(f"## {field.name}\n<!-- {field.asks} -->\n" for field in FIELDS)
    head = f"# Lab report\n<!--\n{_RULES}\n-->\n\n## {RECORDS}\n<!-- The records that you report on. -->"
    return f"{head}\n{named}\n\n{fields}"


def _parts(text: str) -> list[_Part]:
    # A comment keeps its line ends, so that the lines below it keep their numbers.
    bare = _COMMENT.sub(lambda comment: "\n" * comment[0].count("\n"), text)
    parts: list[_Part] = []
    name, start = "", 1
    lines: list[tuple[int, str]] = []
    for number, line in enumerate(bare.split("\n"), start=1):
        heading = _HEADING.fullmatch(line)
        if heading:
            parts.append(_Part(name, start, tuple(lines)))
            name, start, lines = heading["name"], number, []
        else:
            lines.append((number, line))
    return [*parts, _Part(name, start, tuple(lines))]


def _named(parts: Sequence[_Part], name: str) -> list[_Part]:
    return [part for part in parts if part.name.lower() == name.lower()]


def _names(part: _Part) -> list[str]:
    return [name if name.endswith(".json") else f"{Path(name).stem}.json" for name in _RECORD_NAME.findall(part.text)]


def _recorded(folder: Path, names: Sequence[str]) -> tuple[list[RecordedNumber], list[Problem]]:
    """The numbers of the named records, and what is wrong with those records."""
    if not names:
        return [], [Problem(f"No record is named under `## {RECORDS}`. Name those that you report on.")]
    numbers: list[RecordedNumber] = []
    problems: list[Problem] = []
    for name in names:
        try:
            numbers += record.read(folder / name).numbers()
        except BadRecord as bad:
            problems.append(Problem(str(bad)))
    return numbers, problems


def _others(folder: Path, names: Sequence[str]) -> list[RecordedNumber]:
    """The numbers of the records that are there and are not named; a damaged one has none."""
    numbers: list[RecordedNumber] = []
    for path in record.find(folder):
        if path.name not in names:
            try:
                numbers += record.read(path).numbers()
            except BadRecord:
                continue  # it is only asked in order to advise
    return numbers


def _fields(parts: Sequence[_Part]) -> list[Problem]:
    problems: list[Problem] = []
    for field in FIELDS:
        mine = _named(parts, field.name)
        if not mine:
            problems.append(Problem(f"The heading `## {field.name}` is missing. {field.asks}"))
        elif len(re.findall(r"\w+", " ".join(part.text for part in mine))) < FEWEST_WORDS:
            problems.append(Problem(f"{field.name} is not filled in. {field.asks}", mine[0].line))
    return problems


def _claims(part: _Part) -> Iterator[Claim]:
    yield from claims(part.name, part.line)
    for number, line in part.lines:
        yield from claims(_LIST_NUMBER.sub(" ", _RECORD_NAME.sub(" ", line), count=1), number)


def _refusal(claim: Claim, recorded: Sequence[RecordedNumber], others: Sequence[RecordedNumber]) -> str:
    if claim.how is not None:
        lost = [written for written in (claim.a, claim.b) if not standing(written, recorded)]
        if not lost:
            return f"{claim.text}: that does not follow from {claim.a} {claim.how} {claim.b}."
        return f"{claim.text}: " + " ".join(_astray(written, recorded) for written in lost)
    if borne_out(claim, others):
        name = next(n.record for n in others if borne_out(claim, [n]))
        return f"{claim.text} stands in no record that is named. It stands in {name}: name that under `## {RECORDS}`."
    return _astray(claim.number, recorded, claim.percent)


def _astray(written: str, recorded: Sequence[RecordedNumber], percent: bool = False) -> str:
    """That a number stands nowhere, and what lies nearest."""
    shown = f"{written} %" if percent else written
    near = nearest(written, recorded, percent)
    if near is None:
        return f"{shown} stands in no record that is named."
    value = 100 * near.value if percent else near.value
    advice = f" Write {FEWEST_DIGITS} digits or more: fewer would fit nearly anything." if too_short(written) else ""
    return f"{shown} stands in no record that is named. Nearest is {value:.6g} ({near.place}, {near.record}).{advice}"
