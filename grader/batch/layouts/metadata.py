"""Gradescope's `submission_metadata.yml`, read entry by entry: with the output of autograders it can be very long."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import yaml

_LOADER = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
MAX_DEPTH = 200
_NULL = re.compile(r"(?:~|null|Null|NULL|)")


class BadMetadata(Exception):
    """What is wrong with the file, for the end of a sentence."""


@dataclass(frozen=True, slots=True)
class Submitter:
    """As the file writes them; '' for what is not there."""

    name: str
    sid: str
    email: str


@dataclass(frozen=True, slots=True)
class Metadata:
    """One submission: the name of its folder, who handed it in, and when, as written."""

    folder: str
    submitters: tuple[Submitter, ...]
    created_at: str


def submissions(data: bytes) -> Iterator[Metadata]:
    """The entries of the file. Every value is text, so that a student id `00123` stays one. Raises BadMetadata."""
    try:
        yield from _Reader(data).entries()
    except yaml.MarkedYAMLError as error:
        line = f" (line {error.problem_mark.line + 1})" if error.problem_mark else ""
        raise BadMetadata(f"it is no YAML{line}: {error.problem or error.context}") from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        raise BadMetadata(f"it is no YAML: {str(error).splitlines()[0]}") from error


class _Reader:
    """Builds texts, lists and mappings from the parser's events, one entry at a time. No tag is obeyed."""

    def __init__(self, data: bytes) -> None:
        self._events = iter(yaml.parse(data, Loader=_LOADER))
        self._anchors: dict[str, Any] = {}

    def entries(self) -> Iterator[Metadata]:
        event = next(self._events, None)
        while event is not None and not isinstance(event, yaml.NodeEvent):
            event = next(self._events, None)
        if not isinstance(event, yaml.MappingStartEvent):
            raise BadMetadata("it is no list of submissions by folder")
        while not isinstance(event := next(self._events), yaml.MappingEndEvent):
            folder = self._built(event, 0)
            entry = self._built(next(self._events), 0)
            if not isinstance(folder, str) or not isinstance(entry, dict | None):
                raise BadMetadata("an entry of it is no submission with its submitters")
            entry = entry or {}
            yield Metadata(folder, tuple(_submitters(entry.get(":submitters"))), _text(entry.get(":created_at")))

    def _built(self, event: Any, depth: int) -> Any:
        if depth > MAX_DEPTH:
            raise BadMetadata(f"it is nested more than {MAX_DEPTH} deep")
        if isinstance(event, yaml.AliasEvent):
            return self._anchors.get(str(event.anchor))
        if isinstance(event, yaml.ScalarEvent):
            built: Any = None if event.style in (None, "") and _NULL.fullmatch(event.value) else event.value
        elif isinstance(event, yaml.SequenceStartEvent):
            built = []
            while not isinstance(inner := next(self._events), yaml.SequenceEndEvent):
                built.append(self._built(inner, depth + 1))
        else:
            built = {}
            while not isinstance(inner := next(self._events), yaml.MappingEndEvent):
                key = self._built(inner, depth + 1)
                value = self._built(next(self._events), depth + 1)
                if isinstance(key, str):
                    built[key] = value
        if event.anchor:
            self._anchors[event.anchor] = built
        return built


def _submitters(listed: Any) -> Iterator[Submitter]:
    for each in listed if isinstance(listed, list) else []:
        if isinstance(each, dict):
            yield Submitter(_text(each.get(":name")), _text(each.get(":sid")), _text(each.get(":email")))


def _text(value: Any) -> str:
    return value if isinstance(value, str) else ""
