"""One option, or several: typed as the letters beside them or as their ids, compared and logged as ids."""

import re
import string

from grader.review.questions.model import AskBack, Drawn, Key, Mark, Option, right_or_wrong
from grader.review.questions.oracle import Oracle

LETTERS = string.ascii_lowercase
_BETWEEN = re.compile(r"(?:[\s,;.()\[\]]|\band\b)+")


def key(drawn: Drawn, oracle: Oracle) -> Key:  # noqa: ARG001  every kind is asked in the same way
    """The ids of the right options, in the order in which the question lists them."""
    right = tuple(option.id for option in drawn.question.options if option.right)
    shown = [f"{letter}) {option.text}" for letter, option in lettered(drawn) if option.right]
    return Key(right, (), "\n\n".join(shown))


def lettered(drawn: Drawn) -> list[tuple[str, Option]]:
    """The options in the order in which they are shown, with the letters beside them."""
    return list(zip(LETTERS, drawn.options, strict=False))


def mark(drawn: Drawn, key: Key, given: str) -> Mark | AskBack:
    """For one option right or wrong; for several (hits - false) / right ones, at least 0."""
    several = drawn.question.kind == "multi"
    chosen = read_options(drawn, given)
    if chosen is None or (not several and len(chosen) != 1):
        return AskBack(how_to_answer(drawn))
    right = set(key.value) if isinstance(key.value, tuple) else {key.value}
    ids = {option.id for option in chosen}
    logged = " ".join(option.id for option in drawn.question.options if option.id in ids) or "none"
    if not several:
        return right_or_wrong(ids == right, chosen[0].feedback, logged)
    score = max(0.0, (len(ids & right) - len(ids - right)) / len(right))
    return Mark(score, ids == right, ids != right, _remarks(drawn, ids), logged)


def read_options(drawn: Drawn, given: str) -> list[Option] | None:
    """The options that were typed, each once; None for what is neither a letter nor an id. `none` is no option."""
    by_id = {option.id: option for option in drawn.options}
    by_letter = dict(lettered(drawn))
    text = given.strip().casefold()
    if text == "none" and "none" not in by_id:
        return []
    chosen: dict[str, Option] = {}
    pieces = [piece for piece in _BETWEEN.split(text) if piece]
    for piece in pieces:
        # A letter is what the learner sees; ids of one letter are refused by the lint.
        if piece not in by_letter and piece in by_id:
            found = [by_id[piece]]
        elif all(letter in by_letter for letter in piece):
            found = [by_letter[letter] for letter in piece]
        else:
            return None
        chosen.update((option.id, option) for option in found)
    return list(chosen.values()) if pieces else None


def _remarks(drawn: Drawn, ids: set[str]) -> str:
    """The feedback of every option that was judged wrongly, with its letter."""
    wrongly = [(letter, option) for letter, option in lettered(drawn) if (option.id in ids) != option.right]
    return "\n\n".join(f"{letter}) {option.feedback}" for letter, option in wrongly)


def how_to_answer(drawn: Drawn) -> str:
    last = LETTERS[len(drawn.options) - 1]
    if drawn.question.kind == "multi":
        return f"Type the letters of all that apply, a to {last}, as in a {last}; or none."
    return f"Type one letter, a to {last}."
