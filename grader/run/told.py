"""A performance as plain text and as a record for JSON."""

from __future__ import annotations

import textwrap
from collections.abc import Iterator, Sequence
from typing import Any

from grader.capstone.corpus import START_TOKEN, STOP_TOKEN, decode
from grader.run.performance import Performance, Text
from grader.run.walk import Fault, Finding, place

LABEL = 12
MARKS = {START_TOKEN: "the mark that begins a story", STOP_TOKEN: "the mark that ends it"}
"""Tokens that `words` does not show."""


def told(performance: Performance, width: int) -> str:
    """The whole page."""
    if performance.problems:
        return "\n".join([*(f"! {problem}" for problem in performance.problems), _texts(performance, width)]) + "\n"
    blocks = [_texts(performance, width), _verdict(performance, width)]
    if performance.walk.fault is not None:
        blocks.append(_fault(performance.walk.fault, width))
    blocks.append(_table(performance))
    return "\n\n".join(blocks) + "\n"


def words(tokens: Sequence[int]) -> str:
    """What a person reads: without the marks that begin and end a story."""
    inner = list(tokens[1:] if tokens[:1] == (START_TOKEN,) else tokens)
    return decode(inner[:-1] if inner[-1:] == [STOP_TOKEN] else inner)


def record(performance: Performance) -> dict[str, Any]:
    """The same for programs."""
    fault = performance.walk.fault
    return {
        "version": 1,
        "prompt": words(performance.prompt),
        "reference": _text(performance.reference),
        "yours": _text(performance.plain),
        "yours_with_cache": _text(performance.cached),
        "same": performance.same,
        "problems": list(performance.problems),
        "not_written": list(performance.unwritten),
        "fault": fault
        and {
            "block": fault.finding.stage.block,
            "place": fault.place,
            "exercise": fault.exercise,
            "misconception": fault.misconception,
            "message": fault.says,
            "section": fault.section,
        },
        "stages": [_stage(finding) for finding in [*performance.walk.whole, *performance.walk.within]],
    }


def _text(text: Text) -> dict[str, Any]:
    return {"text": words(text.tokens), "tokens": list(text.tokens), "trouble": text.trouble or None}


def _stage(finding: Finding) -> dict[str, Any]:
    stage = finding.stage
    return {
        "place": place(stage),
        "exercise": stage.exercise,
        "verdict": finding.verdict,
        "distance": finding.distance,
    }


def _texts(performance: Performance, width: int) -> str:
    lines = _labelled("reference", performance.reference, width)
    lines += _labelled("yours", performance.plain, width)
    lines += _labelled("with cache", performance.cached, width)
    return "\n".join(lines)


def _labelled(label: str, text: Text, width: int) -> list[str]:
    said = words(text.tokens) if text.tokens else text.trouble
    indent = " " * LABEL
    return textwrap.wrap(said, width, initial_indent=label.ljust(LABEL), subsequent_indent=indent) or [label]


def _verdict(performance: Performance, width: int) -> str:
    if performance.unwritten:
        names = ", ".join(f"`{exercise}`" for exercise in performance.unwritten)
        return textwrap.fill(f"Not written yet, and the model needs them: {names}.", width)
    if performance.same:
        count = len(performance.reference.tokens) - len(performance.prompt)
        return f"Your functions say the same as the reference, token by token: {count} new tokens, cache or no cache."
    parting = list(_partings(performance))
    if not parting:
        return "The texts are the same, but not all numbers are."
    return "\n".join(textwrap.fill(line, width) for line in parting)


def _partings(performance: Performance) -> Iterator[str]:
    for label, text in (("Without the cache", performance.plain), ("With the cache", performance.cached)):
        if text == performance.reference:
            continue
        if text.trouble:
            yield f"{label} there is no text."
            continue
        mine, right = text.tokens, performance.reference.tokens
        shared = next(
            (i for i, (a, b) in enumerate(zip(mine, right, strict=False)) if a != b), min(len(mine), len(right))
        )
        yield f"{label} the texts part at token {shared}: {_word(mine, shared)} for {_word(right, shared)}."


def _word(tokens: tuple[int, ...], index: int) -> str:
    if index >= len(tokens):
        return "the end"
    return MARKS.get(tokens[index]) or f'"{decode(tokens[index : index + 1])}"'


def _fault(fault: Fault, width: int) -> str:
    lines = [
        f"The numbers part here: {fault.place}.",
        f"The exercise is {fault.exercise}.",
        *textwrap.wrap(fault.says, width - 2, initial_indent="  ", subsequent_indent="  "),
    ]
    if fault.section:
        lines.append(f"  Read {fault.section}, then: anatomy grade {fault.exercise}")
    return "\n".join(lines)


def _table(performance: Performance) -> str:
    findings = performance.walk.whole
    rows = [("stage", "exercise", "yours"), *map(_row, findings)]
    if performance.walk.within:
        rows += [("", "", ""), (f"inside {findings[-1].stage.name}", "", ""), *map(_row, performance.walk.within)]
    widths = [max(len(row[column]) for row in rows) for column in range(2)]
    return "\n".join(f"{a.ljust(widths[0])}  {b.ljust(widths[1])}  {c}".rstrip() for a, b, c in rows)


def _row(finding: Finding) -> tuple[str, str, str]:
    said = {"same": "same", "differs": "differs", "failed": "no answer", "not written": "not written"}[finding.verdict]
    if finding.distance is not None:
        said += f" (by {finding.distance:.0e})" if finding.distance else ""
    return place(finding.stage), finding.stage.exercise, said
