"""An explanation in the learner's own words, rated by the learner: which of its ideas were in it?"""

import re

from grader.review.questions.draw import fill
from grader.review.questions.model import PASSES_EXPLAIN, AskBack, Drawn, Key, Mark
from grader.review.questions.oracle import Oracle

_BETWEEN = re.compile(r"(?:[\s,;.]|\band\b)+")


def key(drawn: Drawn, oracle: Oracle) -> Key:  # noqa: ARG001  every kind is asked in the same way
    """The ideas, numbered from 1 as they are shown to be ticked."""
    answer = drawn.question.answer
    assert isinstance(answer, tuple)
    ideas = tuple(fill(str(idea), drawn.params) for idea in answer)
    return Key(ideas, (), "\n".join(f"{number}. {idea}" for number, idea in enumerate(ideas, 1)))


def mark(drawn: Drawn, key: Key, given: str) -> Mark | AskBack:  # noqa: ARG001
    """The share of the ideas that were ticked; from PASSES_EXPLAIN on the item is not missed."""
    ideas = key.value
    assert isinstance(ideas, tuple)
    ticked = read_ticks(given, len(ideas))
    if isinstance(ticked, AskBack):
        return ticked
    score = len(ticked) / len(ideas)
    missed = score < PASSES_EXPLAIN
    left = [f"{number}. {idea}" for number, idea in enumerate(ideas, 1) if number not in ticked]
    feedback = "\n".join(["Not in your explanation:", "", *left]) if left else ""
    return Mark(score, not missed, missed, feedback, " ".join(map(str, sorted(ticked))) or "none")


def read_ticks(given: str, count: int) -> frozenset[int] | AskBack:
    """The numbers of the ticked ideas: `1 3 4`, `134`, `all`, `none`."""
    text = given.strip().strip("()[]").casefold()
    if text == "none":
        return frozenset()
    if text == "all":
        return frozenset(range(1, count + 1))
    pieces = [piece for piece in _BETWEEN.split(text) if piece]
    if len(pieces) == 1 and len(pieces[0]) > 1 and count <= 9:
        pieces = list(pieces[0])
    known = {str(number): number for number in range(1, count + 1)}
    if not pieces or any(piece not in known for piece in pieces):
        return AskBack(f"Type the numbers of the ideas that you had, from 1 to {count}, as in 1 3; or all, or none.")
    return frozenset(known[piece] for piece in pieces)


def how_to_answer(drawn: Drawn) -> str:  # noqa: ARG001
    return "Explain it to yourself; then type the numbers of the ideas that you had, as in 1 3 4, or all, or none."
