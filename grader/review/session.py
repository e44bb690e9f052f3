"""One session: what is asked next, and what an answer to it means. It reads no keyboard and writes no log."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

from grader.review.questions.draw import draw
from grader.review.questions.marking import mark
from grader.review.questions.model import AskBack, Drawn, Key, Mark, Question
from grader.review.sessions import Asked

_MOST_DRAWS = 8
"""Draws that are tried for other numbers; an item with one draw has no others."""
UNKNOWN = "."
"""What a learner types who does not know: a miss, without guessing."""


class Bank(Protocol):
    """Where questions and their answers come from."""

    def question(self, item: str, seed: str) -> Question:
        """The question of an item. Raises LookupError for an item that is no more."""

    def key(self, drawn: Drawn) -> Key:
        """What is right, with these numbers."""


class ItemGone(LookupError):
    """An item of the session that is no more, or that nothing can be asked about."""

    def __init__(self, item: str) -> None:
        super().__init__(item)
        self.item = item


@dataclass(frozen=True, slots=True)
class Turn:
    """A question as it stands before the learner. number: its place among the first tries, from 1; attempt: 1 is the
    one that is scored."""

    asked: Asked
    drawn: Drawn
    number: int
    of: int
    attempt: int

    @property
    def scored(self) -> bool:
        return self.attempt == 1


@dataclass(frozen=True, slots=True)
class Reply:
    """What becomes of an answer: the mark, what was right, and the payload of the event that records it."""

    mark: Mark
    key: Key
    record: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class Tried:
    """One answer that was given. attempt: 1 is the scored one."""

    item: str
    attempt: int
    score: float
    missed: bool


class Sitting:
    """The items of a session, those tried once already and those that come back until they are right.

    The state follows from the answers alone, so a session that was broken off goes on from its events.
    """

    def __init__(self, session: str, lesson: str, asked: Sequence[Asked], tried: Iterable[Tried], bank: Bank) -> None:
        self.session = session
        self.lesson = lesson
        self._asked = {each.item: each for each in asked}
        self._bank = bank
        self._attempts = dict.fromkeys(self._asked, 0)
        self._first: dict[str, Tried] = {}
        self._again: list[str] = []
        place = {item: number for number, item in enumerate(self._asked)}
        known = [each for each in tried if each.item in place]
        for each in sorted(known, key=lambda one: (one.attempt, place[one.item])):
            self._note(each)

    @property
    def size(self) -> int:
        """How many items there are."""
        return len(self._asked)

    @property
    def first_tries(self) -> tuple[Tried, ...]:
        """The answers that are scored, in the order in which they were given."""
        return tuple(self._first.values())

    @property
    def counted(self) -> bool:
        """Whether every item has been tried, so that the session counts."""
        return len(self._first) == len(self._asked)

    @property
    def left(self) -> int:
        """How many items come back once more at least."""
        return len(self._again)

    @property
    def score(self) -> float:
        """The mean of the first tries, 0 to 1."""
        return sum(each.score for each in self._first.values()) / max(len(self._first), 1)

    def turn(self) -> Turn | None:
        """What is asked now; None when all is done. Raises ItemGone."""
        asked = next((each for item, each in self._asked.items() if item not in self._first), None)
        if asked is None:
            if not self._again:
                return None
            asked = self._asked[self._again[0]]
        attempt = self._attempts[asked.item] + 1
        try:
            drawn = self._drawn(asked, attempt)
        except LookupError:
            raise ItemGone(asked.item) from None
        number = [*self._asked].index(asked.item) + 1
        return Turn(asked, drawn, number, len(self._asked), attempt)

    def ideas(self, turn: Turn) -> tuple[str, ...]:
        """What an explanation may hold, to be ticked: `explain` only."""
        value = self._bank.key(turn.drawn).value
        return tuple(map(str, value)) if isinstance(value, tuple) else ()

    def submit(self, turn: Turn, given: str) -> Reply | AskBack:
        """Mark an answer to the turn. AskBack uses no try. What was tried counts from `accept` on."""
        key = self._bank.key(turn.drawn)
        if given.strip() == UNKNOWN:
            outcome: Mark | AskBack = Mark(score=0.0, right=False, missed=True, feedback="", given=UNKNOWN)
        else:
            outcome = mark(turn.drawn, key, given)
        if isinstance(outcome, AskBack):
            return outcome
        record = {
            "session": self.session,
            "lesson": self.lesson,
            "item": turn.asked.item,
            "version": turn.drawn.question.version,
            "try": turn.attempt,
            "seed": turn.drawn.seed,
            "params": dict(turn.drawn.params),
            "expected": key.shown,
            "given": outcome.given,
            "score": outcome.score,
            "missed": outcome.missed,
        }
        return Reply(outcome, key, record)

    def accept(self, turn: Turn, reply: Reply) -> None:
        """The answer has been recorded: go on."""
        self._note(Tried(turn.asked.item, turn.attempt, reply.mark.score, reply.mark.missed))

    def _drawn(self, asked: Asked, attempt: int) -> Drawn:
        """The item with its own numbers; later tries have others than the one before, whose answer was just told."""
        if attempt == 1:
            return draw(self._bank.question(asked.item, asked.seed), asked.seed)
        seeds = [f"{asked.seed}-{attempt}-{place}" for place in range(_MOST_DRAWS)]
        first = draw(self._bank.question(asked.item, seeds[0]), seeds[0])
        if not first.params:
            return first
        before = self._drawn(asked, attempt - 1).params
        others = (draw(first.question, seed) for seed in seeds)
        return next((drawn for drawn in others if drawn.params != before), first)

    def _note(self, tried: Tried) -> None:
        self._attempts[tried.item] = max(self._attempts[tried.item], tried.attempt)
        self._first.setdefault(tried.item, tried)
        if tried.item in self._again:
            self._again.remove(tried.item)
        if tried.missed:
            self._again.append(tried.item)
