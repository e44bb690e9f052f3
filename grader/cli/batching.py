"""What `batch` and `regrade` share: a run from the submissions to grades, feedback and the gradebook."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import click

from grader.batch.changes import changes
from grader.batch.collect import collect
from grader.batch.hands import ClusterHands, Hands, LocalHands
from grader.batch.journal import JOURNAL, Journal
from grader.batch.naming import file_names
from grader.batch.order import Order
from grader.batch.outputs import clear_drafts, earlier_entries, keep_logs, publish, standing_entries
from grader.batch.run import Ran, Run
from grader.batch.settling import lessons_of, settled
from grader.cli.batch_told import SHOWN, Done
from grader.cli.book import FILE
from grader.cli.output import visible, wrapped
from grader.cli.progress import progress
from grader.course.load import load_course
from grader.errors import UserError
from grader.gradebook.book import Gradebook
from grader.gradebook.trouble import GradebookAway


@dataclass(frozen=True)
class Workplace:
    """Where a run works. jobs: processes here, by default one a core; scheduler: a Dask scheduler's address; db: the
    gradebook as it was typed, with its password, None for the order's."""

    jobs: int | None = None
    scheduler: str | None = None
    allow_weak: bool = False
    db: str | None = None

    def hands(self, lessons: Sequence[str]) -> Hands:
        """Whoever grades. Raises UserError."""
        return ClusterHands(self.scheduler) if self.scheduler else LocalHands(lessons, self.jobs)


def carry_out(order: Order, out: Path, workplace: Workplace, *, again: bool = False) -> Done:
    """Grade what is not known yet, bring the gradebook up to date, write what people read. Raises UserError."""
    course = load_course()
    submissions = Path(order.submissions)
    _refuse_output_among(submissions, out)
    lessons = lessons_of(order, course)
    collection = collect(submissions, course, lessons, order.prefix)  # before anything is written
    with ExitStack() as stack:
        journal = stack.enter_context(Journal(out))
        clear_drafts(out)
        where = workplace.db or order.db or str(out / FILE)
        # What is wrong with the gradebook is to be found before the first submission, not after the last one.
        with Gradebook(where) as book:
            assignment, order = settled(order, book, course)
        if assignment.lessons != lessons:
            collection = collect(submissions, course, assignment.lessons, order.prefix)
        exercises = tuple(exercise.id for slug in assignment.lessons for exercise in course.lesson(slug).exercises)
        click.echo(wrapped(visible(collection.says)), err=True)
        files = file_names(student.id for handed in collection.submissions for student in handed.students)
        manner = order.manner(course, assignment.lessons, exercises, allow_weak=workplace.allow_weak)
        order.save(out)
        _say_what_is_damaged(journal)
        with progress("submissions") as tell:
            run = Run(
                course, manner, journal, files, lambda: workplace.hands(manner.lessons),
                tell=lambda ran: tell(ran.done, ran.total), keep_logs=keep_logs(out), again=again,
            )  # fmt: skip
            ran = _resumable(lambda: run(collection.submissions, len(collection.submissions)), journal)
        changed = tuple(sorted(changes(journal, ran.moved), key=lambda change: change.student.id))
        faults = sum(journal.known[key].fault for key in ran.standing.values())
        refused = [each for each in collection.refused if not each.ordinary]
        with _nothing_is_lost(out), Gradebook(where) as book:
            book.record(assignment.id, earlier_entries(journal, ran.standing), current=False)
            book.record(assignment.id, standing_entries(journal, ran.standing))
            gone = tuple(id_ for id_ in book.students(assignment.id) if id_ not in ran.standing)
            standings = (each for each in book.standings(assignment.id) if each.student.id in ran.standing)
            published = publish(out, standings, files, course, assignment, refused, book.where)
    unasked = tuple(slug for slug in assignment.lessons if ran.done and slug not in ran.lessons)
    return Done(collection, ran, changed, faults, published, gone, unasked)


def _refuse_output_among(submissions: Path, out: Path) -> None:
    """What a run writes would be taken for submissions by the next one."""
    if submissions.resolve() in (out.resolve(), *out.resolve().parents):
        raise UserError(
            f"{out} lies among the submissions in {submissions}. Choose an --out DIR outside of that folder."
        )


@contextmanager
def _nothing_is_lost(out: Path) -> Iterator[None]:
    """Says so when the gradebook is away after all has been graded."""
    try:
        yield
    except GradebookAway as error:
        raise UserError(
            f"{str(error).rstrip('.')}. Every verdict of this run stands in {out / JOURNAL}: once that is mended, the "
            "same command brings gradebook, grades and feedback up to date."
        ) from error


def _resumable(run: Callable[[], Ran], journal: Journal) -> Ran:
    before = len(journal.known)
    try:
        return run()
    except KeyboardInterrupt:
        kept = len(journal.known) - before
        click.echo(f"\nStopped. {kept} graded by now are kept: the same command goes on from there.", err=True)
        raise


def _say_what_is_damaged(journal: Journal) -> None:
    if journal.damaged:
        lines = ", ".join(str(number) for number in journal.damaged[:SHOWN])
        click.echo(
            f"Note: {journal.folder / JOURNAL}: damaged and left out: line {lines}. What they held is graded anew.",
            err=True,
        )
