"""Holding sessions at the terminal: begin one or go on with it, sit through it, and say what it came to."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack

from grader.cli.companion import companion_here
from grader.cli.screen import Left, Screen
from grader.cli.sitting import sit
from grader.course.model import Course
from grader.review.bank import LessonBank
from grader.review.companion import Companion
from grader.review.holding import Held
from grader.review.learner import records_here
from grader.review.questions.recorded import oracle_here
from grader.review.session import ItemGone

INTERRUPTED = 130


def hold(course: Course, lessons: Sequence[str], *, practice: bool) -> int:
    """Hold a session on each of the lessons. Returns the exit code: 0 if all were passed (practice: ended)."""
    screen = Screen()
    oracle = oracle_here()
    records = records_here()
    code = 0
    with ExitStack() as stack:
        companion = companion_here(course)
        stack.callback(companion.close)
        for number, slug in enumerate(lessons):
            bank = LessonBank(course, course.lesson(slug), oracle)
            stack.callback(bank.close)
            held = Held.begin(course, slug, bank, practice, records)
            try:
                if number:
                    screen.pause(f"Enter for {slug} (lesson {number + 1} of {len(lessons)} that are due) ")
                _sit_through(held, screen, companion)
            except Left as left:
                screen.tell(held.broken_off)
                return INTERRUPTED if left.interrupted else 1
            screen.say()  # and not an empty screen: the last verdict has just been told
            screen.tell(str(held.summary))
            code = code if held.passed else 1
    return code


def _sit_through(held: Held, screen: Screen, companion: Companion) -> None:
    """Ask until all is done. Raises Left."""
    answered = len(held.sitting.first_tries)
    note = f"You began this session today: {answered} of {held.sitting.size} are answered." if answered else ""
    while True:
        try:
            sit(screen, held, companion, note)
        except ItemGone as gone:
            held.renew(gone)
        else:
            return
