"""Submissions to Reports: one grader for one after the other, with what they share."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from pathlib import Path

from grader.attempt import settle
from grader.authority import authority, flawed_function, reference_function
from grader.course.model import Course, Exercise
from grader.judge.answer import Answer
from grader.judge.probe import Probe
from grader.options import Options
from grader.report import Report
from grader.sandbox import Zygote, ZygoteDied
from grader.sandbox.proof import BY_DEFAULT, Protection, protection_of
from grader.session import Suites
from grader.sitting import Sitting
from grader.workspace import Submission

__all__ = ["Grader", "flawed_function", "reference_function"]


class Grader:
    """Grades one submission after another with one zygote and one open session of the suites.

    cache: where the proof of the protection is kept, None to prove it anew; accept: is told the protection before any
    submitted code runs, and may refuse it by raising.
    """

    def __init__(
        self,
        course: Course,
        suites: Suites,
        zygote: Zygote,
        options: Options | None = None,
        *,
        cache: Path | None = None,
        accept: Callable[[Protection], None] = lambda _: None,
    ) -> None:
        self.course = course
        self.suites = suites
        self.zygote = zygote
        self.options = options or Options()
        self._cache = cache
        self._accept = accept
        self._protection: Protection | None = None
        self.authority = authority()
        self.helper = ThreadPoolExecutor(1, "reference")
        self._answers: dict[str, dict[str, list[tuple[Probe, Answer]]]] = {}

    def grade(self, submission: Submission, exercises: Sequence[Exercise]) -> Report:
        """Grade these exercises of a submission. Those they rest on are examined as well, but not reported."""
        sitting = Sitting(self, submission)
        try:
            lessons = list(dict.fromkeys(exercise.lesson for exercise in exercises))
            following = dict(pairwise(lessons))
            attempts = []
            for exercise in exercises:
                attempts.append(sitting.attempt(exercise))
                if slug := following.pop(exercise.lesson, None):
                    sitting.prepare(slug)
        finally:
            sitting.close()
        results = tuple(
            settle(attempt, self.authority.catalogue, hide_expected=self.options.hide_expected) for attempt in attempts
        )
        problems = sitting.problems({exercise.lesson for exercise in exercises})
        layers, level = sitting.protection()
        return Report(
            submission.folder.name,
            self.options.seed,
            layers,
            results,
            problems,
            level,
            held_out=self.options.held_out,
            public=self.authority.public,
        )

    def protection(self) -> Protection:
        """What protects this machine from submitted code. Found out before any of it runs."""
        if self._protection is None:
            proof = protection_of(self.zygote, self._cache)
            self._accept(proof)
            self._protection = proof
        return self._protection

    def restart_zygote(self) -> None:
        """Have another zygote in place of one that has died. Raises ZygoteDied if that one can do less."""
        self.zygote.restart()
        before = self.protection().layers
        if missing := set(before).difference(BY_DEFAULT, self.zygote.announcement().layers):
            raise ZygoteDied(f"the process that makes the workers came back without {', '.join(sorted(missing))}")

    def answers(self, exercise: Exercise) -> dict[str, list[tuple[Probe, Answer]]]:
        """The reference's answers to the suite of an exercise, kept from one submission to the next."""
        return self._answers.setdefault(exercise.id, {})
