"""What is added to an answer: what the learner's own function returns, and what a snippet prints when it runs."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from grader.course.model import Course
from grader.errors import UserError
from grader.review.born.own import exercise_of, verdict
from grader.review.born.playground import Playground
from grader.review.questions.kinds.code import snippet
from grader.review.questions.model import Drawn
from grader.review.session import Reply, Turn
from grader.workspace import find_workspace


class Companion:
    """Asks the sandbox while the learner thinks. Where there is none, a session goes on without it."""

    def __init__(self, course: Course) -> None:
        self._course = course
        self._modules = _modules(course)
        self._playground = Playground(course, self._modules)

    def close(self) -> None:
        """End what was started."""
        self._playground.close()

    def announce(self, drawn: Drawn) -> str:
        """Begin to ask for a question that is being shown. Returns what to tell of it, "" if there is nothing."""
        if snippet(drawn) is not None:
            self._playground.warm_up()
        exercise = exercise_of(drawn, self._course)
        if exercise is None or self._modules is None:
            return ""
        self._playground.expect(drawn)
        return f"Your own `{exercise.name}` is asked as well: predict it."

    def remarks(self, turn: Turn, reply: Reply) -> Sequence[str]:
        """What to add to the verdict: sentences and snippets' output, in Markdown."""
        if (program := snippet(turn.drawn)) is not None:
            ran = self._playground.run(program)
            printed = "\n".join(part for part in (ran.printed, ran.error) if part)
            return [f"Run just now, it prints:\n\n```\n{printed}\n```"]
        own = self._playground.own_value(turn.drawn)
        if own is None or not isinstance(reply.key.value, int | float):
            return []
        says = verdict(turn.drawn, reply.mark.given, reply.key.value, own).says
        return [says] if says else []


def _modules(course: Course) -> Path | None:
    """Where the learner's functions lie; None outside a workspace."""
    try:
        return find_workspace(Path.cwd(), course).student_dir
    except UserError:
        return None
