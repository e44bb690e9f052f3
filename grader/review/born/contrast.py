"""A place where the right result and those of several mistakes all look different: the stuff of a choice of numbers."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice

from grader.judge.misconception import Misconception
from grader.judge.observation import Observation
from grader.review.born.bench import Bench
from grader.review.born.showing import DIGITS, Seen, View, inputs, views
from grader.sandbox.reply import Returned

MOST_OTHERS = 2
"""Mistakes beside the one that is asked about."""
MOST_QUESTIONS = 12
"""Questions of a suite that are looked at for readable numbers."""


@dataclass(frozen=True)
class Contrast:
    """One readable call. given: its arguments as Python; view: the part of the result that is shown; digits: as many as
    tell `right`, `wrong` and `others` apart."""

    question: Observation
    given: str
    view: View
    digits: int
    right: Seen
    wrong: Seen
    others: tuple[tuple[Misconception, Seen], ...]


def contrast(bench: Bench, mistake: Misconception, chance: random.Random, most: int = MOST_OTHERS) -> Contrast | None:
    """The call that shows a mistake best, beside `most` others at most; None if no readable one shows it."""
    rest = [other for other in bench.flawed.misconceptions if other.name != mistake.name]
    chance.shuffle(rest)
    best: Contrast | None = None
    for question, given in _readable(bench):
        if not bench.departs(mistake, question):
            continue
        found = _at(bench, question, given, mistake, rest, most)
        if found and (best is None or len(found.others) > len(best.others)):
            best = found
        if best and len(best.others) == most:
            break
    return best


def _readable(bench: Bench) -> Iterator[tuple[Observation, str]]:
    """Questions that a person can read, the smallest of a test first: the first test's, other value tests', the rest.

    Where the first test is not readable, none is looked for: it is the tidiest of its exercise.
    """
    first, *rest = bench.laws
    count = 0
    for law in (first, *sorted(rest, key=lambda law: law.kind != "value")):
        for question in sorted(bench.questions(law), key=lambda asked: asked.probe.size):
            if question.probe.aim == "raises" or question.probe.opaque:
                continue
            given = inputs(question, bench.exercise.name)
            if given is not None:
                count += 1
                yield question, given
            if count == MOST_QUESTIONS:
                return
        if not count:
            return


def _at(
    bench: Bench, question: Observation, given: str, mistake: Misconception, rest: Sequence[Misconception], most: int
) -> Contrast | None:
    """The part of one question's result that tells most mistakes apart, and among such parts the one where right and
    wrong are farthest from each other."""
    answer, wrong_outcome = question.answer.given, bench.answer(mistake, question)
    seen = [(view, view.of(answer), view.of(wrong_outcome)) for view in views(answer)]
    pairs = [(view, right, wrong) for view, right, wrong in seen if right and wrong and _says_something(right, wrong)]
    best: Contrast | None = None
    for view, right, wrong in sorted(pairs, key=lambda pair: (pair[0].is_shape, -pair[1].gap(pair[2]))):
        digits = next((few for few in DIGITS if right.apart(wrong, few)), None)
        if digits is None:
            continue
        others = tuple(islice(_others(bench, question, view, digits, [right, wrong], rest), most))
        if others and (best is None or len(others) > len(best.others)):
            best = Contrast(question, given, view, digits, right, wrong, others)
        if len(others) == most:
            break
    return best


def _others(
    bench: Bench, question: Observation, view: View, digits: int, taken: list[Seen], rest: Sequence[Misconception]
) -> Iterator[tuple[Misconception, Seen]]:
    """Further mistakes whose results look different from all that are taken."""
    for other in rest:
        outcome = bench.answer(other, question)
        seen = view.of(outcome) if isinstance(outcome, Returned) else None
        if seen is not None and bench.departs(other, question) and all(seen.apart(one, digits) for one in taken):
            taken = [*taken, seen]
            yield other, seen


def _says_something(right: Seen, wrong: Seen) -> bool:
    """Not everything is infinite or NaN: a row of nothing asks nothing."""
    numbers = [number for seen in (right, wrong) for number in seen.numbers]
    return any(math.isfinite(number) for number in numbers)
