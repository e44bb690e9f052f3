"""Which items a session holds, and the seed from which each draws its numbers."""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from grader.review.history import LessonHistory
from grader.review.sessions import Asked

SIZE = 8
"""Items of a session."""
MOST_MISTAKES = 4
"""Items born from the learner's own mistakes in one session: the lesson itself is to be asked as well."""

PINNED, MISTAKE, ROTATION = "pinned", "mistake", "rotation"


@dataclass(frozen=True, slots=True)
class Item:
    """Something that can be asked. rungs: only in these (None: in all)."""

    id: str
    version: int
    rungs: frozenset[int] | None = None

    def fits(self, rung: int | None) -> bool:
        """Whether it may be asked in a rung; None is practice, where everything may."""
        return rung is None or self.rungs is None or rung in self.rungs


@dataclass(frozen=True, slots=True)
class Stock:
    """Everything that a lesson could ask: its quiz, the learner's own mistakes, and faults to be found."""

    quiz: tuple[Item, ...]
    mistakes: tuple[Item, ...] = ()
    faults: tuple[Item, ...] = ()

    def without(self, id_: str) -> Stock:
        """All but one item."""
        kept = (tuple(item for item in items if item.id != id_) for items in (self.quiz, self.mistakes, self.faults))
        return Stock(*kept)

    def find(self, id_: str) -> Item | None:
        """The item of that id."""
        return next((item for item in (*self.quiz, *self.mistakes, *self.faults) if item.id == id_), None)


def choose(stock: Stock, history: LessonHistory, learner: str, occasion: str, rung: int | None) -> tuple[Asked, ...]:
    """The items of a session: what is pinned, then own mistakes, then what was asked longest ago.

    occasion: what the session is for, as `rung-2`: the same occasion asks with the same numbers on every machine.
    One fault to be found has the last place, if there is one that the learner may see.
    """
    chosen: dict[str, Asked] = {}

    def take(items: Iterable[Item], why: str, most: int) -> None:
        for item in items:
            if len(chosen) >= most:
                return
            if item.id not in chosen:
                seed = _hash(learner, item.id, str(history.cycle), occasion)
                chosen[item.id] = Asked(item.id, item.version, seed, why)

    def longest_ago(items: Sequence[Item]) -> list[Item]:
        fitting = [item for item in items if item.fits(rung)]
        asked = [item for item in fitting if item.id in history.asked]
        never = [item for item in fitting if item.id not in history.asked]
        never.sort(key=lambda item: _hash(learner, item.id, str(history.cycle)))
        return never + sorted(asked, key=lambda item: history.asked[item.id])

    take((item for id_ in history.pinned if (item := stock.find(id_))), PINNED, SIZE)
    take(longest_ago(stock.mistakes), MISTAKE, min(SIZE, len(chosen) + MOST_MISTAKES))
    take(longest_ago(stock.quiz), ROTATION, SIZE - bool(stock.faults))
    take(longest_ago(stock.faults), ROTATION, min(SIZE, len(chosen) + 1))
    take(longest_ago(stock.quiz), ROTATION, SIZE)
    written = {item.id for item in stock.quiz}
    first = next((item for item in chosen if item in written), None)
    # A question that has to be made takes a second: while the first one is answered.
    return tuple(sorted(chosen.values(), key=lambda asked: asked.item != first))


def _hash(*parts: str) -> str:
    """16 hexadecimal digits that depend on all parts and on where one ends and the next begins."""
    return hashlib.sha256("\0".join(parts).encode()).hexdigest()[:16]
