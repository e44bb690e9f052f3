"""A word or two: case, spaces, hyphens, articles and quotes do not matter."""

import re

from grader.review.questions.draw import fill
from grader.review.questions.kinds.signs import JOINTS, QUOTES
from grader.review.questions.model import AskBack, Drawn, Key, Mark, right_or_wrong
from grader.review.questions.oracle import Oracle

_ARTICLE = re.compile(r"\b(?:a|an|the)\b")


def key(drawn: Drawn, oracle: Oracle) -> Key:  # noqa: ARG001  every kind is asked in the same way
    """The accepted spellings; the first is the one that is shown."""
    spellings = tuple(fill(text, drawn.params) for text in texts(drawn.question.answer))
    slips = tuple(
        (tuple(fill(text, drawn.params) for text in texts(slip.value)), fill(slip.feedback, drawn.params))
        for slip in drawn.question.also
    )
    return Key(spellings, slips, spellings[0])


def texts(value: object) -> tuple[str, ...]:
    """The spellings that a quiz file lists."""
    return tuple(str(item) for item in value) if isinstance(value, tuple) else (str(value),)


def normal(text: str) -> str:
    """What is compared: letters and digits, without case, articles and what stands between words."""
    words = text.translate(QUOTES).translate(JOINTS).casefold()
    return "".join(_ARTICLE.sub(" ", words).split())


def among(given: str, spellings: object) -> bool:
    """Whether an answer is one of these spellings."""
    return normal(given) in {normal(spelling) for spelling in texts(spellings)}


def mark(drawn: Drawn, key: Key, given: str) -> Mark | AskBack:  # noqa: ARG001
    """Right is any accepted spelling; a known wrong one gets its feedback."""
    if not normal(given):
        return AskBack("Type a word or two.")
    if among(given, key.value):
        return right_or_wrong(True, "", given.strip())
    feedback = next((feedback for spellings, feedback in key.slips if among(given, spellings)), "")
    return right_or_wrong(False, feedback, given.strip())


def how_to_answer(drawn: Drawn) -> str:  # noqa: ARG001
    return "Type a word or two. Upper and lower case, spaces and hyphens do not matter."
