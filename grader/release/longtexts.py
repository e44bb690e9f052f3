"""Finding any of many long texts in a large one, in a single pass."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

SHORTEST = 40
"""Characters that each text which is looked for has at least."""
_STRIDE = 16
_WINDOW = SHORTEST - _STRIDE
"""Wherever a text stands, a window of this size at a place that the stride divides lies wholly in it."""


def flat(text: str) -> str:
    """A text with every run of white space made one space: where lines break says nothing."""
    return " ".join(text.split())


class LongTexts:
    """Texts with where they are from."""

    def __init__(self, texts: Mapping[str, str]) -> None:
        self._texts = texts
        self._windows: dict[str, list[tuple[str, int]]] = {}
        for text in texts:
            for offset in range(_STRIDE):
                self._windows.setdefault(text[offset : offset + _WINDOW], []).append((text, offset))

    def found_in(self, text: str) -> Iterator[tuple[str, str]]:
        """Those that stand in a flat text, with where they are from; one may come more than once."""
        for start in range(0, len(text) - _WINDOW + 1, _STRIDE):
            for wanted, offset in self._windows.get(text[start : start + _WINDOW], ()):
                if start >= offset and text.startswith(wanted, start - offset):
                    yield wanted, self._texts[wanted]
