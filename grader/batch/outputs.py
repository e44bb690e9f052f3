"""What a run leaves in its output folder beside journal and reports: grades, feedback pages, the overview."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.analysis.cohort import Cohort, CohortSummary
from grader.analysis.quizzes import Pool
from grader.atomic import write_bytes
from grader.batch.entry import Entry, Key
from grader.batch.handed_in import UNREADABLE, Refused, Student
from grader.batch.journal import Journal
from grader.batch.order import ORDER
from grader.course.model import Course
from grader.errors import UserError
from grader.export import grades
from grader.gradebook.assignment import Assignment
from grader.gradebook.standing import Standing
from grader.render.feedback import feedback
from grader.render.overview import overview
from grader.report import Report
from grader.review.questions.load import load_quizzes

GRADES = "grades.csv"
FINAL = "final.csv"
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
    for name in (GRADES, FINAL, OVERVIEW, ORDER):
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


@dataclass(frozen=True)
class Published:
    """What was written. broken: whose file could not be run at all, and why; book: where the gradebook is."""

    summary: CohortSummary
    broken: tuple[tuple[Student, str], ...]
    book: str


def publish(
    out: Path, standings: Iterable[Standing], files: Mapping[str, str], course: Course, assignment: Assignment,
    refused: Sequence[Refused], book: str,
) -> Published:  # fmt: skip
    """Write the grades, a feedback page for each student and the overview. Raises UserError if that cannot be done.

    Of grades, one file holds what the tests gave, the other one what counts, with names and lateness.
    """
    cohort, pool = Cohort(), _pool(out, course)
    exercises = [exercise.id for slug in assignment.lessons for exercise in course.lesson(slug).exercises]
    short, long = [grades.header(exercises)], [grades.header(exercises, long=True)]
    broken: list[tuple[Student, str]] = []
    for standing in standings:
        student, report, file = standing.student, standing.report, files[standing.student.id]
        cohort.add(file, report, standing.final, student)
        if pool and (logs := _logs(out, file)):
            named = [(each.id, each.misconception) for each in report.exercises if each.misconception]
            pool.add(student.id, logs, named)
        if why := _why_it_could_not_run(report):
            broken.append((student, why))
        short.append(grades.line(standing, exercises))
        long.append(grades.line(standing, exercises, long=True))
        page = feedback(standing, course, assignment.title, assignment.zone)
        write_bytes(out / FEEDBACK / f"{file}.html", _encoded(page), lasting=False)
    write_bytes(out / GRADES, _encoded("".join(short)))
    write_bytes(out / FINAL, _encoded("".join(long)))
    summary = cohort.summary()
    page = overview(summary, pool.summary() if pool else None, assignment.title, refused)
    write_bytes(out / OVERVIEW, _encoded(page))
    return Published(summary, tuple(broken), book)


def _why_it_could_not_run(report: Report) -> str:
    """The first line of why not one function was tried: a file with a syntax error, one that fails on import."""
    if _was_unreadable(report) or not report.exercises:
        return ""
    results = [each for each in report.exercises if each.status != "not_started"]
    ran = any(each.status != "error" or any(test.seconds for test in each.tests) for each in results)
    return "" if ran or not results else results[0].message.splitlines()[0]


def _was_unreadable(report: Report) -> bool:
    return any(UNREADABLE in problem for problem in report.problems)


def _encoded(text: str) -> bytes:
    return text.encode("utf-8", "backslashreplace")


def _pool(out: Path, course: Course) -> Pool | None:
    """Where the records of quizzes are pooled, None if nobody handed any in."""
    return Pool(course, load_quizzes(course)) if (out / LOGS).is_dir() else None


def _logs(out: Path, file: str) -> list[bytes]:
    return [path.read_bytes() for path in sorted((out / LOGS).glob(f"{_escaped(file)}.*.jsonl"))]


def _escaped(file: str) -> str:
    """A file name in a pattern."""
    return "".join(f"[{char}]" if char in "*?[" else char for char in file)
