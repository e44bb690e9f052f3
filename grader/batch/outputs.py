"""What a run leaves in its output folder beside journal and reports: grades, feedback pages, the overview."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from grader.analysis.cohort import Cohort, CohortSummary
from grader.analysis.quizzes import Pool
from grader.atomic import write_bytes
from grader.batch.entry import Entry, Key
from grader.batch.handed_in import Refused
from grader.batch.journal import Journal
from grader.batch.order import ORDER
from grader.course.model import Course
from grader.errors import UserError
from grader.export import grades
from grader.gradebook.standing import Standing
from grader.render.feedback import feedback
from grader.render.overview import overview
from grader.report import Report
from grader.review.questions.load import load_quizzes

GRADES = "grades.csv"
FEEDBACK = "feedback"
OVERVIEW = "overview.html"
LOGS = "logs"


def standing_entries(journal: Journal, standing: Mapping[str, Key]) -> Iterator[tuple[Entry, Report]]:
    """The entry and the report that count for each student of a run, one after the other."""
    wanted = set(standing.values())
    for entry in journal.entries():
        if entry.key in wanted and journal.known[entry.key].report == entry.report:
            wanted.remove(entry.key)
            yield entry, _report(journal, entry)


def earlier_entries(journal: Journal, standing: Mapping[str, Key]) -> Iterator[tuple[Entry, Report]]:
    """The others, which the history holds, as far as their reports are still there."""
    keys = set(standing.values())
    for entry in journal.entries():
        if entry.key not in keys or journal.known[entry.key].report != entry.report:
            content = journal.report(entry.file, entry.report)
            if content is not None:
                yield entry, Report.from_dict(json.loads(content))


def _report(journal: Journal, entry: Entry) -> Report:
    content = journal.report(entry.file, entry.report)
    if content is None:
        raise UserError(
            f"The report {entry.file}.json in {journal.folder} was changed while this ran. Run the same command again: "
            "it will be graded anew."
        )
    return Report.from_dict(json.loads(content))


def clear_drafts(out: Path) -> None:
    """Take away what a run that was killed has left half written. Only for whoever holds the journal."""
    for name in (GRADES, OVERVIEW, ORDER):
        _remove(out.glob(f".{name}.*"))
    _remove((out / FEEDBACK).glob(".*.html.*"))
    _remove((out / LOGS).glob(".*.jsonl.*"))


def _remove(paths: Iterable[Path]) -> None:
    for path in list(paths):
        path.unlink(missing_ok=True)


def keep_logs(out: Path) -> Callable[[str, tuple[bytes, ...]], None]:
    """Keeps the records that came along with a student's submission, in place of those that came before."""

    def keep(file: str, logs: tuple[bytes, ...]) -> None:
        folder = out / LOGS
        if logs or folder.is_dir():
            _remove(folder.glob(f"{_escaped(file)}.*.jsonl"))
        for number, log in enumerate(logs):
            write_bytes(folder / f"{file}.{number}.jsonl", log, lasting=False)

    return keep


def publish(
    out: Path, standings: Iterable[Standing], files: Mapping[str, str], course: Course, exercises: Collection[str],
    title: str, refused: Sequence[Refused],
) -> CohortSummary:  # fmt: skip
    """Write grades.csv, a feedback page for each student and the overview. Raises UserError if that cannot be done."""
    cohort, pool = Cohort(), _pool(out, course)

    def seen() -> Iterator[Standing]:
        for standing in standings:
            file = files[standing.student.id]
            cohort.add(file, standing.report, standing.final)
            if pool and (logs := _logs(out, file)):
                named = [(each.id, each.misconception) for each in standing.report.exercises if each.misconception]
                pool.add(standing.student.id, logs, named)
            page = feedback(standing, course, title).encode("utf-8", "backslashreplace")
            write_bytes(out / FEEDBACK / f"{file}.html", page, lasting=False)
            yield standing

    table = "".join(grades.lines(seen(), exercises))
    write_bytes(out / GRADES, table.encode("utf-8", "backslashreplace"))
    summary = cohort.summary()
    page = overview(summary, pool.summary() if pool else None, title, refused)
    write_bytes(out / OVERVIEW, page.encode("utf-8", "backslashreplace"))
    return summary


def _pool(out: Path, course: Course) -> Pool | None:
    """Where the records of quizzes are pooled, None if nobody handed any in."""
    return Pool(course, load_quizzes(course)) if (out / LOGS).is_dir() else None


def _logs(out: Path, file: str) -> list[bytes]:
    return [path.read_bytes() for path in sorted((out / LOGS).glob(f"{_escaped(file)}.*.jsonl"))]


def _escaped(file: str) -> str:
    """A file name in a pattern."""
    return "".join(f"[{char}]" if char in "*?[" else char for char in file)
