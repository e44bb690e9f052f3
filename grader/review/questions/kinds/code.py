"""A snippet: what it prints, or which of its lines is wrong. Spaces, the kind of quotes and case do not matter."""

import re

from grader.review.questions.draw import fill
from grader.review.questions.kinds.signs import QUOTES
from grader.review.questions.model import AskBack, Drawn, Key, Mark, Question, right_or_wrong
from grader.review.questions.oracle import Oracle

_FENCE = re.compile(r"^```(?:python)?[ \t]*\n(.*?)^```[ \t]*$", re.DOTALL | re.MULTILINE)
_ASKS_LINE = re.compile(r"\b(?:which|what) line\b", re.IGNORECASE)
_ASKS_PRINTED = re.compile(r"\bprint(?:s|ed)?\b", re.IGNORECASE)
_BESIDE_PUNCTUATION = re.compile(r"\s*([][(){},:=])\s*")
_LINE = re.compile(r"(?:line\s*)?#?\s*(\d+)\.?", re.IGNORECASE)


def key(drawn: Drawn, oracle: Oracle) -> Key:  # noqa: ARG001  every kind is asked in the same way
    """The text that is printed, or the number of the line."""
    value = fill(str(drawn.question.answer), drawn.params)
    slips = tuple(
        (fill(str(slip.value), drawn.params), fill(slip.feedback, drawn.params)) for slip in drawn.question.also
    )
    return Key(value, slips, f"line {value}" if asks_line(drawn.question) else f"`{value}`")


def mark(drawn: Drawn, key: Key, given: str) -> Mark | AskBack:
    """Right when the texts are the same but for spaces, quotes and case; a known wrong one gets its feedback."""
    typed = given.strip()
    if asks_line(drawn.question):
        match = _LINE.fullmatch(typed)
        if match is None:
            return AskBack("Type the number of the line.")
        typed = str(int(match[1][:9]))
    elif not typed:
        return AskBack("Type what is printed.")
    if normal(typed) == normal(str(key.value)):
        return right_or_wrong(True, "", typed)
    feedback = next((feedback for value, feedback in key.slips if normal(typed) == normal(str(value))), "")
    return right_or_wrong(False, feedback, typed)


def normal(printed: str) -> str:
    """What is compared of a printed text: `[0.5,0.5]` and `[0.5, 0.5]` are the same."""
    text = " ".join(printed.translate(QUOTES).split())
    return _BESIDE_PUNCTUATION.sub(r"\1", text).casefold()


def asks_line(question: Question) -> bool:
    """Whether a code question asks for a line and not for what is printed."""
    return question.kind == "code" and bool(_ASKS_LINE.search(_FENCE.sub("", question.prompt)))


def snippet(asked: Question | Drawn) -> str | None:
    """The program whose printed text a code question asks for; None for every other question.

    Where numbers are drawn the program of the drawn question holds them.
    """
    question = asked.question if isinstance(asked, Drawn) else asked
    prose = _FENCE.sub("", question.prompt)
    if question.kind != "code" or asks_line(question) or not _ASKS_PRINTED.search(prose):
        return None
    return program(asked)


def program(asked: Question | Drawn) -> str | None:
    """The text between the fences of a prompt, None without any."""
    match = _FENCE.search(asked.prompt)
    return match[1] if match else None


def how_to_answer(drawn: Drawn) -> str:
    if asks_line(drawn.question):
        return "Type the number of the line."
    return "Type what is printed. Spaces and the kind of quotes do not matter."
