"""What a learner should do now, as the log has it."""

from dataclasses import dataclass

from grader.course.model import Course, Exercise
from grader.records.fold import NOT_STARTED, Progress


@dataclass(frozen=True, slots=True)
class NextStep:
    """What to do now, in a sentence, and the command to type; both exercise and command may be missing.

    begun: the exercise was graded before and is not right yet.
    """

    says: str
    command: str | None = None
    exercise: Exercise | None = None
    begun: bool = False


def next_step(course: Course, progress: Progress, *, in_workspace: bool) -> NextStep:
    """What the learner should do now: the first exercise of the course that has not passed."""
    if not in_workspace:
        return NextStep("go to your workspace, or make one here.", "anatomy start")
    exercise = progress.next_exercise(course)
    if exercise is None:
        return NextStep("nothing is left; every exercise has passed.")
    standing = progress.exercise(exercise)
    grade = f"anatomy grade {exercise.id}"
    if standing.latest.status == NOT_STARTED:
        page = f"lessons/{exercise.lesson}/lesson.md, section #{exercise.section}"
        says = f"write {exercise.name} in student/{exercise.lesson}.py (see {page}), then grade it."
        return NextStep(says, grade, exercise)
    if standing.hints < len(exercise.hints):
        says = f"{exercise.id} is not right yet. Grade it again, or take a hint:"
        return NextStep(says, f"anatomy hint {exercise.id}", exercise, begun=True)
    return NextStep(f"{exercise.id} is not right yet. Mend it and grade it again.", grade, exercise, begun=True)
