"""What a form of a question says: read into the text that the terminal would read, so that one engine marks both."""

from __future__ import annotations

import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from grader.review.questions.kinds.choice import lettered
from grader.review.questions.marking import how_to_answer
from grader.review.questions.model import AskBack
from grader.review.session import UNKNOWN, Turn
from grader.site.quiz.steps import split_steps

Form = Mapping[str, Sequence[str]]
"""What was sent: each field with its values."""

LONGEST = 4000
"""Characters of an explanation."""
LONGEST_LINE = 400
"""Characters of any other answer."""
WHICH_IDEAS = "Which of these ideas were in your explanation? Tick them; none is an answer, too."


@dataclass(frozen=True, slots=True)
class Given:
    """An answer as the terminal would read it. said: the explanation in the learner's own words, "" without one."""

    text: str
    said: str = ""


@dataclass(frozen=True, slots=True)
class Explained:
    """An explanation that has been written; its ideas are still to be ticked."""

    said: str


def how(turn: Turn) -> str:
    """One line that says how to answer in a page."""
    match turn.drawn.question.kind:
        case "choice":
            return "Choose one."
        case "multi":
            return "Tick all that apply."
        case "order" if split_steps(turn.drawn)[1]:
            return "Give each step its place."
        case "explain":
            return "Explain it in your own words, here or aloud. Then compare it with the ideas that belong in it."
    return how_to_answer(turn.drawn)


def read(turn: Turn, form: Form) -> Given | Explained | AskBack:
    """What a form answers to the turn, or what to ask back: then no try is used."""
    if any(map(_is_garbled, (value for values in form.values() for value in values))):
        return AskBack("That holds characters that are no text. Type it once more.")
    kind = turn.drawn.question.kind
    if kind == "explain":
        return _explained(form)
    if "unknown" in form:
        return Given(UNKNOWN)
    match kind:
        case "choice" | "multi":
            return _chosen(turn, form)
        case "order" if steps := split_steps(turn.drawn)[1]:
            return _ordered(form, len(steps))
    text = one(form, "answer")
    if len(text) > LONGEST_LINE:
        return AskBack(f"That is too long. Answer with {LONGEST_LINE} characters at most.")
    if text.strip() == UNKNOWN:
        return AskBack("A dot is no answer. If you do not know, press the button that says so.")
    return Given(text)


def one(form: Form, name: str) -> str:
    """The value of a field that has one; "" without it. Lines end as they do in Python."""
    return next(iter(form.get(name, ())), "").replace("\r\n", "\n")


def _explained(form: Form) -> Given | Explained | AskBack:
    said = one(form, "said").strip()
    if len(said) > LONGEST:
        return AskBack(f"That is too long. Explain it in {LONGEST} characters at most.")
    if "unknown" in form:
        return Given(UNKNOWN, said)
    if "ticked" not in form:
        return Explained(said)
    return Given(" ".join(form.get("idea", ())) or "none", said)


def _chosen(turn: Turn, form: Form) -> Given | AskBack:
    """Options by their letters: ids may hold what separates answers that are typed."""
    chosen = form.get("answer", ())
    letters = " ".join(letter for letter, option in lettered(turn.drawn) if option.id in chosen)
    if turn.drawn.question.kind == "choice":
        return Given(letters) if len(letters) == 1 else AskBack("Choose one of them.")
    none = "none" in form and offers_none(turn)
    if none and letters:
        return AskBack("You ticked some, and also that none applies. Leave one of the two.")
    if not none and not letters:
        return AskBack("Tick all that apply, or that none of them does.")
    return Given(letters or "none")


def offers_none(turn: Turn) -> bool:
    """Whether "none of these" can be answered: not where an option is called that."""
    return turn.drawn.question.kind == "multi" and all(option.id != "none" for option in turn.drawn.options)


def _ordered(form: Form, count: int) -> Given | AskBack:
    at: dict[str, list[int]] = {}
    for step in range(1, count + 1):
        at.setdefault(one(form, f"place-{step}"), []).append(step)
    places = [str(place) for place in range(1, count + 1)]
    without = [step for place, steps in at.items() if place not in places for step in steps]
    if without:
        return AskBack(f"Give each step a place: {_named(without)} without one.")
    for place in places:
        if len(at.get(place, ())) > 1:
            return AskBack(f"Place {place} is taken twice: {_named(at[place])} there. Give each a place of its own.")
    return Given(" ".join(str(at[place][0]) for place in places))


def _named(steps: list[int]) -> str:
    if len(steps) == 1:
        return f"step {steps[0]} is"
    return f"steps {', '.join(map(str, steps[:-1]))} and {steps[-1]} are"


def _is_garbled(text: str) -> bool:
    """Whether there is something in a text that nobody means to send: control characters, undecodable bytes."""
    return any(
        (unicodedata.category(char) in ("Cc", "Cs") and char not in "\t\r\n") or char == "\ufffd" for char in text
    )
