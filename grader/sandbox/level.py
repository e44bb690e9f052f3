"""How strong the protection is, by the layers that are on."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Literal, get_args

from grader.errors import UserError
from grader.sandbox.inside.lockdown.names import LANDLOCK, NAMESPACES, SECCOMP

Level = Literal["weak", "standard", "strong"]
_ORDER: tuple[Level, ...] = get_args(Level)

MEANING: dict[Level, str] = {
    "strong": "code by people you do not know may be graded; two walls stand before your files and processes",
    "standard": "code by people you do not know may be graded; one wall stands before your files and processes",
    "weak": "code that is graded can read your files, use your network or stop your programs: grade only code that you "
    "trust",
}


class TooWeak(UserError):
    """The protection is less than what was asked for."""


def level_of(layers: Iterable[str]) -> Level:
    """strong: system calls filtered, namespaces and Landlock; standard: one of the latter two is missing."""
    on = set(layers)
    if SECCOMP not in on:
        return "weak"
    return _ORDER[len(on & {NAMESPACES, LANDLOCK})]


def at_least(level: Level, least: Level) -> bool:
    """Whether a level is `least` or above it."""
    return _ORDER.index(level) >= _ORDER.index(least)


def require(level: Level, *, least: Level = "standard", allow_weak: bool = False) -> None:
    """Refuse to grade others' code behind less than `least`. Raises TooWeak."""
    if not at_least(level, least) and not allow_weak:
        raise TooWeak(
            f"The protection on this machine is {level}, and {least} is needed: {MEANING[level]}. "
            "`anatomy doctor` says what is off and why; --allow-weak grades all the same."
        )
