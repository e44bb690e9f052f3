"""A learner at the keyboard, for tests: reads from the log what is asked now and types an answer to it."""

import io
from collections.abc import Callable, Mapping
from pathlib import Path

from grader.course.model import Course
from grader.records.kinds import ANSWER, SESSION
from grader.records.log import Log
from grader.review.bank import LessonBank
from grader.review.questions.model import Key
from grader.review.questions.oracle import Oracle
from grader.review.session import UNKNOWN, Sitting, Tried, Turn
from grader.review.sessions import session_of

Answering = Callable[[Turn, Key], list[str] | None]
"""The lines that are typed to what is asked; None ends the input."""


class Typist(io.RawIOBase):
    """Standard input that is written when it is read: by then the command has logged what it asks."""

    def __init__(self, home: Path, course: Course, answering: Answering) -> None:
        super().__init__()
        self._home, self._course, self._answering = home, course, answering
        self._ended = False

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: memoryview) -> int:
        lines = None if self._ended else self._answering(*asked_now(self._home, self._course))
        if lines is None:
            self._ended = True
            return 0
        text = "".join(f"{line}\n" for line in lines).encode()
        buffer[: len(text)] = text
        return len(text)


def asked_now(home: Path, course: Course) -> tuple[Turn, Key]:
    """What the session that was begun last is asking, and the key to it."""
    events = Log(home).read().events
    # The id tells which was written last, whatever the clock says that the tests set.
    event = max((event for event in events if event.type == SESSION), key=lambda event: event.id)
    begun = session_of(event)
    assert begun is not None
    tried = [
        Tried(answer["item"], answer["try"], answer["score"], answer["missed"])
        for answer in (each.payload for each in events if each.type == ANSWER)
        if answer["session"] == event.id
    ]
    bank = LessonBank(course, course.lesson(begun.lesson), Oracle())
    try:
        turn = Sitting(event.id, begun.lesson, begun.items, tried, bank).turn()
        assert turn is not None
        return turn, bank.key(turn.drawn)
    finally:
        bank.close()


def right(turn: Turn, key: Key) -> list[str]:
    """The right answer, as somebody would type it."""
    match turn.drawn.question.kind:
        case "explain":
            return ["I say it in my own words.", "all"]
        case "choice" | "multi":
            return [" ".join(_letters(turn)[id_] for id_ in key.value)]
        case "shape":
            return [f"({', '.join(map(str, key.value))})"]
        case "order":
            return [" ".join(map(str, key.value))]
        case "short":
            return [str(key.value[0])]
        case "numeric":
            return [f"{key.value:.6g}"]
    return [str(key.value)]


def wrong(turn: Turn, key: Key) -> list[str]:
    """A wrong answer: a known slip if there is one, else that it is not known."""
    drawn = turn.drawn
    match drawn.question.kind:
        case "explain":
            return ["I do not know how to say it.", "1"]
        case "choice":
            return [_letters(turn)[next(option.id for option in drawn.options if not option.right)]]
        case "numeric" if key.slips:
            return [f"{key.slips[0][0]:.6g}"]
        case "code" if key.slips:
            return [str(key.slips[0][0])]
    return [UNKNOWN]


def _letters(turn: Turn) -> Mapping[str, str]:
    return {option.id: letter for letter, option in zip("abcdefghij", turn.drawn.options, strict=False)}
