"""Which lesson is graded next: what was saved last first, and the round through the others when nothing waits."""

from __future__ import annotations

import threading
from collections.abc import Iterable


class Waiting:
    """Lessons that wait, each once however often it was saved. Any thread may add, one takes.

    saves: how often anything was saved.
    """

    def __init__(self) -> None:
        self._condition = threading.Condition()
        self._saved: dict[str, None] = {}
        self._round: dict[str, None] = {}
        self._closed = False
        self.saves = 0

    def save(self, slugs: Iterable[str]) -> None:
        """These were saved: they come before all others, and the newest before the older ones."""
        with self._condition:
            self.saves += 1
            for slug in slugs:
                self._saved.pop(slug, None)
                self._round.pop(slug, None)
                self._saved[slug] = None
            self._condition.notify_all()

    def add(self, slugs: Iterable[str]) -> None:
        """These are looked at in their order when nothing was saved."""
        with self._condition:
            self._round.update((slug, None) for slug in slugs if slug not in self._saved)
            self._condition.notify_all()

    def has(self, slug: str) -> bool:
        """Whether the lesson waits, having been saved."""
        return slug in self._saved

    def take(self) -> tuple[str, bool] | None:
        """The next lesson, and whether it was saved. Waits for one; None once it is closed."""
        with self._condition:
            self._condition.wait_for(lambda: self._closed or self._saved or self._round)
            if self._closed:
                return None
            if self._saved:
                return self._saved.popitem()[0], True
            slug = next(iter(self._round))
            del self._round[slug]
            return slug, False

    def wait_for_a_save(self, since: int) -> bool:
        """Wait until something was saved after the first `since` saves; False once it is closed."""
        with self._condition:
            self._condition.wait_for(lambda: self._closed or self.saves > since)
            return not self._closed

    def close(self) -> None:
        """Whoever waits goes on, and gets nothing."""
        with self._condition:
            self._closed = True
            self._condition.notify_all()
