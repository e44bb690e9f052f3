"""What is added to an answer: what the learner's own function returns, and what a snippet prints when it runs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import TYPE_CHECKING

from grader.course.model import Course
from grader.review.questions.kinds.code import snippet
from grader.review.questions.marking import called_exercise
from grader.review.questions.model import Drawn
from grader.review.session import Reply, Turn
from grader.sandbox import NoTorch, Zygote, ZygoteDied

if TYPE_CHECKING:
    from grader.review.born.playground import Playground

RAN = "Run just now, it prints:"


@dataclass(frozen=True, slots=True)
class Remark:
    """A sentence, and what a program printed; None where none was run. Both may hold what a learner's code said."""

    says: str
    printed: str | None = None

    @property
    def markdown(self) -> str:
        return self.says if self.printed is None else f"{self.says}\n\n```\n{self.printed}\n```"


class Companion:
    """Asks the sandbox while the learner thinks. Where there is none, a session goes on without it.

    modules: the folder of the learner's lesson files, None outside a workspace. zygote: starts one, in the thread that
    asks first, and it is ended by `close`. hand: where somebody lends a zygote, the thread in which its workers are
    asked; then neither of the two is ended here.
    """

    def __init__(
        self, course: Course, modules: Path | None, zygote: Callable[[], Zygote], hand: Executor | None = None
    ) -> None:
        self._course = course
        self._modules = modules
        self._zygote = zygote
        self._lent = hand
        self._hand = ThreadPoolExecutor(1, "companion")
        self._opening = Lock()
        self._opened: Future[Playground] | None = None

    def close(self) -> None:
        """End what was started."""
        self._hand.shutdown(wait=True, cancel_futures=True)
        if self._opened is not None and not self._opened.cancelled():
            self._opened.result().close()

    def announce(self, drawn: Drawn) -> str:
        """Begin to ask for a question that is being shown. Returns what to tell of it, "" if there is nothing."""
        exercise = called_exercise(drawn.question, self._course) if self._modules else None
        if exercise is None:
            if snippet(drawn) is not None:
                self._open()
            return ""
        opened = self._open()
        self._hand.submit(lambda: opened.result().expect(drawn))
        return f"Your own `{exercise.name}` is asked as well: predict it."

    def remarks(self, turn: Turn, reply: Reply) -> Sequence[Remark]:
        """What to add to the verdict."""
        if (program := snippet(turn.drawn)) is not None:
            ran = self._open().result().run(program)
            return [Remark(RAN, "\n".join(part for part in (ran.printed, ran.error) if part))]
        if self._modules is None or called_exercise(turn.drawn.question, self._course) is None:
            return []
        own = self._open().result().own_value(turn.drawn)
        if own is None or not isinstance(reply.key.value, int | float):
            return []
        from grader.review.born.own import verdict

        says = verdict(turn.drawn, reply.mark.given, reply.key.value, own).says
        return [Remark(says)] if says else []

    def _open(self) -> Future[Playground]:
        """The playground. Its zygote starts at once, in the thread with which it ends; the rest in the background."""
        with self._opening:
            if self._opened is None:
                zygote: Zygote | None = None
                failure: Exception | None = None
                try:
                    zygote = self._zygote()
                except (NoTorch, ZygoteDied, OSError) as error:
                    failure = error
                self._opened = self._hand.submit(_playground, self._course, self._modules, zygote, failure, self._lent)
            return self._opened


def _playground(
    course: Course, modules: Path | None, zygote: Zygote | None, failure: Exception | None, hand: Executor | None
) -> Playground:
    from grader.review.born.playground import Playground  # it imports torch

    def started() -> Zygote:
        if zygote is None:
            raise failure or ZygoteDied("it was not started")
        return zygote

    playground = Playground(course, modules, started, hand)
    playground.warm_up()
    return playground
