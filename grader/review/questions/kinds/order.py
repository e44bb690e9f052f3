"""An order of numbered steps, typed as their numbers."""

import re

from grader.review.questions.draw import fill
from grader.review.questions.model import AskBack, Drawn, Key, Mark, right_or_wrong
from grader.review.questions.oracle import Oracle

_BETWEEN = re.compile(r"[\s,;.>→-]+")


def key(drawn: Drawn, oracle: Oracle) -> Key:  # noqa: ARG001  every kind is asked in the same way
    """The order, and those that are known to be typed instead."""
    value = drawn.question.answer
    slips = tuple(
        (slip.value, fill(slip.feedback, drawn.params)) for slip in drawn.question.also if isinstance(slip.value, tuple)
    )
    assert isinstance(value, tuple)
    return Key(value, slips, " ".join(map(str, value)))


def mark(drawn: Drawn, key: Key, given: str) -> Mark | AskBack:  # noqa: ARG001
    """Right is the whole order; for a wrong one, how many steps are right from the start."""
    right = key.value
    assert isinstance(right, tuple)
    order = read_order(given, len(right))
    if isinstance(order, AskBack):
        return order
    logged = " ".join(map(str, order))
    if order == right:
        return right_or_wrong(True, "", logged)
    known = next((feedback for value, feedback in key.slips if value == order), "")
    return right_or_wrong(False, known or _where_it_breaks(order, right), logged)


def read_order(given: str, count: int) -> tuple[int, ...] | AskBack:
    """The numbers 1 to `count` in the order typed: `3 1 2`, `3,1,2`, or `312` where no number has two digits."""
    pieces = [piece for piece in _BETWEEN.split(given.strip(" \t()[]{}")) if piece]
    if len(pieces) == 1 and len(pieces[0]) == count and count <= 9:
        pieces = list(pieces[0])
    how = f"Type the numbers 1 to {count} in order, each once, as in {' '.join(map(str, range(count, 0, -1)))}."
    if not all(piece.isascii() and piece.isdigit() for piece in pieces):
        return AskBack(how)
    order = tuple(int(piece[:4]) for piece in pieces)
    if sorted(order) == list(range(1, count + 1)):
        return order
    missing = sorted(set(range(1, count + 1)) - set(order))
    if order and missing:
        return AskBack(f"{_listed(missing)} missing. {how}")
    return AskBack(how)


def _listed(missing: list[int]) -> str:
    numbers = ", ".join(map(str, missing))
    return f"{numbers} is" if len(missing) == 1 else f"{numbers} are"


def _where_it_breaks(order: tuple[int, ...], right: tuple[object, ...]) -> str:
    same = next(place for place, (a, b) in enumerate(zip(order, right, strict=True)) if a != b)
    if same == 0:
        return f"Step {order[0]} is not the first."
    rightly = "The first step is" if same == 1 else f"The first {same} steps are"
    return f"{rightly} in place; step {order[same]} does not come next."


def how_to_answer(drawn: Drawn) -> str:
    answer = drawn.question.answer
    count = len(answer) if isinstance(answer, tuple) else 0
    return f"Type the numbers 1 to {count} in the right order, with spaces between them."
