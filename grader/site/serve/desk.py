"""The grading session that stays open while the pages are: a saved module is graded, recorded and published.

It belongs to the main thread, as pytest, which holds the suites, and Ctrl-C do. Whatever goes wrong with one grading is
shown in the pages, and the next save is graded all the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from grader.course.model import Course, Exercise
from grader.errors import GraderFault, UserError
from grader.options import Options
from grader.records.fold import Progress
from grader.report import ExerciseResult, Report
from grader.sandbox import ForkFailed, NoTorch, WorkerFailed, ZygoteDied
from grader.site.serve.fault import fault_line
from grader.site.serve.live import Live
from grader.site.serve.modules import Modules, identity
from grader.site.serve.waiting import Waiting
from grader.workspace import Submission

if TYPE_CHECKING:
    from grader.grading import Grader
    from grader.sandbox.proof import Protection

Opened = Callable[
    [Course, Submission, Sequence[Exercise], Options, Callable[["Grader"], int], Callable[["Protection"], None]], int
]
"""`grader.desk.at_desk`, or what stands in for it."""
SOURCE = "desk"
"""Under which name its faults are told."""


class Desk:
    """Grades until it is closed.

    record: writes a grading into the learner's log and returns what is to be said of it, a sentence each; progress:
    what the log says so far; complete: adds to a report what no exercise is part of; accept: as for `at_desk`;
    complain: is told of a fault that nobody has foreseen, in one line.
    """

    def __init__(
        self,
        course: Course,
        modules: Modules,
        live: Live,
        *,
        record: Callable[[Report], Sequence[str]],
        progress: Callable[[], Progress],
        complete: Callable[[Report], Report],
        accept: Callable[[Protection], None],
        complain: Callable[[str], None],
        opened: Opened | None = None,
    ) -> None:
        self._course = course
        self._modules = modules
        self._live = live
        self._record = record
        self._progress = progress
        self._complete = complete
        self._accept = accept
        self._complain = complain
        self._opened = opened
        self._waiting = Waiting()

    def saved(self, slugs: Iterable[str]) -> None:
        """Modules were saved. Any thread may tell. Several saves before there is time for one are one."""
        names = list(slugs)
        for slug in names:
            self._live.begin(slug)
        self._waiting.save(names)

    def look_again(self) -> None:
        """Grade every lesson, after whatever is saved. Any thread may tell, as when the folder was away and is back."""
        self._waiting.add(lesson.slug for lesson in self._course.lessons)

    def close(self) -> None:
        """Let `run` return. Any thread may ask."""
        self._waiting.close()

    def run(self) -> None:
        """Grade every lesson once, then what is saved, until `close`. Ctrl-C comes out as KeyboardInterrupt."""
        from grader.desk import at_desk

        opened = self._opened or at_desk
        self.look_again()
        while True:
            saves = self._waiting.saves
            try:
                opened(
                    self._course, self._modules.submission(), self._course.exercises, Options(), self._sit, self._accept
                )
                return
            except Exception as error:
                # Nothing could be opened: no torch, no process, no folder for temporary files. A save tries again.
                self._live.fault(SOURCE, self._says(error))
            if not self._waiting.wait_for_a_save(saves):
                return

    def _sit(self, grader: Grader) -> int:
        while (job := self._waiting.take()) is not None:
            slug, saved = job
            self._live.begin(slug)
            try:
                report = self._graded(grader, slug)
                remarks = self._recorded(report, saved=saved)
            except Exception as error:
                self._live.give_up(slug)
                self._live.fault(SOURCE, self._says(error))
                continue
            self._live.fault(SOURCE, None)
            self._live.finish(slug, report, remarks, again=self._waiting.has(slug), saved=saved)
            if saved:
                self._waiting.add(self._heirs(slug))
        return 0

    def _graded(self, grader: Grader, slug: str) -> Report:
        if identity(self._modules.folder) is None:  # that no file is there is no verdict on anybody
            raise UserError(f"{slug} could not be graded: the folder {self._modules.folder} was not there.")
        if not grader.zygote.alive:
            grader.restart_zygote()
        return self._complete(grader.grade(self._modules.submission(), self._course.lesson(slug).exercises))

    def _recorded(self, report: Report, *, saved: bool) -> Sequence[str]:
        """Write a grading into the log, as `anatomy grade` does.

        Of a lesson that nobody has just saved only what the log does not say yet: it may have been written while
        nothing watched, and then it counts like any other; but to open the pages is no attempt.
        """
        if saved:
            return self._record(report)
        try:
            progress = self._progress()
        except UserError as unreadable:
            return [str(unreadable)]
        news = tuple(result for result in report.exercises if _is_news(result, progress))
        return self._record(replace(report, exercises=news)) if news else []

    def _heirs(self, slug: str) -> list[str]:
        """The lessons in which something was said to inherit a fault of this one: it may be mended now."""
        heirs = []
        for lesson in self._course.lessons:
            known = self._live.lesson(lesson.slug)
            results = known.report.exercises if known and lesson.slug != slug else ()
            if any(result.inherits and result.inherits.startswith(f"{slug}.") for result in results):
                heirs.append(lesson.slug)
        return heirs

    def _says(self, error: Exception) -> str:
        """A fault as a person reads it in the pages. What nobody has foreseen is complained of besides."""
        if isinstance(error, UserError):
            return str(error)
        said = (str(error) or type(error).__name__).rstrip(".")
        if isinstance(error, GraderFault):
            return f"Grader fault, not yours: {said}. No points are lost by it; grading goes on when you save."
        if isinstance(error, ZygoteDied | ForkFailed | NoTorch | WorkerFailed | OSError):
            return f"Your functions could not be run: {said}. Save again, or try `anatomy doctor` in a terminal."
        said = fault_line(error)
        self._complain(said)
        return f"Grader fault, not yours: {said}. Please report it. Grading goes on when you save."


def _is_news(result: ExerciseResult, progress: Progress) -> bool:
    """Whether a verdict says something that the log does not say yet."""
    known = progress.exercise(result.id).latest
    return result.status != "grader_fault" and (result.status, result.earned) != (known.status, known.earned)
