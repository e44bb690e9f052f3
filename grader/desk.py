"""Opening what a grading needs: the zygote first, so that it starts while this process imports torch and pytest."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

from grader.course.model import Course, Exercise
from grader.errors import GraderFault
from grader.judge.source import parse_submission
from grader.options import Options
from grader.places import cache_folder
from grader.sandbox import ForkFailed, NoTorch, WorkerFailed, Zygote, ZygoteDied
from grader.workspace import Submission

if TYPE_CHECKING:
    from grader.grading import Grader
    from grader.sandbox.proof import Protection
    from grader.session import Suites


def at_desk(
    course: Course,
    submission: Submission,
    exercises: Sequence[Exercise],
    options: Options,
    body: Callable[[Grader], int],
    accept: Callable[[Protection], None],
) -> int:
    """Call `body` with a Grader that can judge these exercises and all that they rest on. Returns what it returns.

    accept: is told the protection before submitted code runs, and may refuse it by raising. Raises GraderFault when no
    worker can be had on this machine.
    """
    try:
        with Zygote() as zygote:
            lessons = _lessons(course, submission, exercises)
            from grader.grading import Grader
            from grader.session import with_suites

            def grader(suites: Suites) -> Grader:
                return Grader(course, suites, zygote, options, cache=cache_folder(), accept=accept)

            return with_suites(lessons, lambda suites: body(grader(suites)))
    except (ZygoteDied, ForkFailed, NoTorch, WorkerFailed) as error:
        said = str(error).rstrip(".")
        raise GraderFault(f"Submitted code could not be run: {said}. Try `anatomy doctor`.") from error


def _lessons(course: Course, submission: Submission, exercises: Sequence[Exercise]) -> list[str]:
    """The lessons of the exercises, and those of the functions that they reach."""
    student = parse_submission(submission.sources())
    everything = frozenset((e.lesson, e.name) for e in course.exercises)
    wanted = {exercise.lesson for exercise in exercises}
    for exercise in exercises:
        wanted |= {slug for slug, _ in student.all_dependencies(exercise.lesson, exercise.name, everything)}
    return [lesson.slug for lesson in course.lessons if lesson.slug in wanted]
