"""The kinds of thing that an expression in a learner's module can mean."""

from __future__ import annotations

import ast
from dataclasses import dataclass

Exercise = tuple[str, str]
"""(slug, name), e.g. ("normalization", "rms_norm")."""


@dataclass(frozen=True, slots=True)
class Foreign:
    """Something in a library, by its dotted path; `passed` are the names of lesson modules it was imported through."""

    path: tuple[str, ...]
    passed: frozenset[Exercise] = frozenset()


@dataclass(frozen=True, slots=True)
class BuiltIn:
    """A name of Python's `builtins`."""

    name: str


@dataclass(frozen=True, slots=True)
class LessonModule:
    """A lesson module as a whole; the package `student` if `slug` is None."""

    slug: str | None


@dataclass(frozen=True, slots=True)
class OwnClass:
    """A class of the learner's, none of whose bases can be a tensor."""

    node: ast.ClassDef


@dataclass(frozen=True, slots=True)
class Instance:
    """An instance of such a class; for the `self` of a method, `method` is that method's name."""

    node: ast.ClassDef
    method: str | None = None


@dataclass(frozen=True, slots=True)
class OwnFunction:
    """A function of the learner's, undecorated."""

    slug: str
    name: str


@dataclass(frozen=True, slots=True)
class PlainValue:
    """A number, a string, a container, a function without a name: no library is behind its attributes."""


@dataclass(frozen=True, slots=True)
class Unknown:
    """Anything: a parameter, the result of a call."""


@dataclass(frozen=True, slots=True)
class MissingLesson:
    """Something of a lesson module that is not among the sources."""

    slug: str


Meaning = Foreign | BuiltIn | LessonModule | OwnClass | Instance | OwnFunction | PlainValue | MissingLesson | Unknown
Meanings = frozenset[Meaning]

NOTHING = Meanings()
UNKNOWN = Meanings({Unknown()})
PLAIN = Meanings({PlainValue()})
