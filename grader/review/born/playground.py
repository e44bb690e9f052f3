"""Where a review runs code that is not the grader's: one zygote, started at the first need, asked in the background."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from functools import partial
from pathlib import Path
from types import TracebackType
from typing import Self

from grader.course.model import Course
from grader.keeping import Stamps, files_in, stamps_of
from grader.review.born.own import NO_SANDBOX, Own, own_value
from grader.review.born.snippet import Ran, run_snippet
from grader.review.questions.marking import called_exercise
from grader.review.questions.model import Drawn
from grader.sandbox import NoTorch, Zygote, ZygoteDied
from grader.workspace import read_submission

PATIENCE = 20.0
"""Seconds that a learner waits at most for something that has been begun before."""


class Playground:
    """The learner's own functions and the questions' snippets. Use as a context manager or call `close`.

    modules: the folder of the learner's lesson files, None if there is none; hand: where the zygote is lent, the thread
    that asks its workers, which is lent as well. Nothing here raises: where there is no sandbox, the answer says so.
    """

    def __init__(
        self,
        course: Course,
        modules: Path | None,
        zygote: Callable[[], Zygote] = Zygote,
        hand: Executor | None = None,
    ) -> None:
        self._course = course
        self._modules = modules
        self._start = zygote
        self._zygote: Zygote | None = None
        self._failure = ""
        self._is_lent = hand is not None
        self._hand = hand or ThreadPoolExecutor(1, "playground")
        self._values: dict[tuple[str, str], tuple[Stamps, Future[Own]]] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def warm_up(self) -> None:
        """Start the zygote, which takes a moment to import torch. Returns at once."""
        self._here()

    def expect(self, drawn: Drawn) -> None:
        """Have the learner's function asked while the learner thinks. Returns at once; does nothing for a question
        that asks no function."""
        exercise, key = called_exercise(drawn.question, self._course), (drawn.question.id, drawn.seed)
        if exercise is None or self._modules is None:
            return
        stamps = stamps_of(files_in(self._modules, ".py"))
        if key in self._values and self._values[key][0] == stamps:  # else the code was changed since it was asked
            return
        zygote, modules = self._here(), self._modules
        if zygote is None:
            return

        def ask() -> Own:
            sources = read_submission(modules, self._course).sources()
            return own_value(drawn, exercise, self._course, zygote, sources)

        self._values[key] = stamps, self._hand.submit(ask)

    def own_value(self, drawn: Drawn) -> Own | None:
        """What the learner's function gives for this question; None for a question that asks no function, and where
        there is no workspace."""
        exercise = called_exercise(drawn.question, self._course)
        if exercise is None or self._modules is None:
            return None
        self.expect(drawn)
        begun = self._values.pop((drawn.question.id, drawn.seed), None)
        if begun is None:
            return Own(exercise.id, says=f"Your own function could not be asked: {self._failure}")
        try:
            return begun[1].result(PATIENCE)
        except TimeoutError:
            return Own(exercise.id, says="Your own function could not be asked: the sandbox did not answer.")

    def run(self, source: str) -> Ran:
        """Run a snippet; its error says so where it could not be run."""
        zygote = self._here()
        if zygote is None:
            return Ran("", f"It could not be run: {self._failure}")
        begun = self._hand.submit(partial(run_snippet, source, zygote))
        try:
            return begun.result(PATIENCE)
        except TimeoutError:
            return Ran("", "It could not be run: the sandbox did not answer.")
        except NO_SANDBOX as error:
            return Ran("", f"It could not be run: {error}")

    def close(self) -> None:
        """End the zygote and its workers, unless they are lent."""
        if self._is_lent:
            return
        self._hand.shutdown(wait=False, cancel_futures=True)
        if self._zygote is not None:
            self._zygote.close()
            self._zygote = None

    def _here(self) -> Zygote | None:
        """The zygote, started by whoever calls first: that has to be the main thread, with which it is to end."""
        if self._zygote is None and not self._failure:
            try:
                self._zygote = self._start()
            except (NoTorch, ZygoteDied, OSError) as error:
                self._failure = str(error)
        return self._zygote
