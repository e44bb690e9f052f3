"""A question as a form: its text, the fields of its kind, its hints, and what to ask back beside it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from grader.review.companion import Companion
from grader.review.holding import Held, turn_heading
from grader.review.questions.kinds.choice import lettered
from grader.review.questions.kinds.code import asks_line
from grader.review.session import Turn
from grader.site.pages import fragment
from grader.site.quiz.forms import LONGEST, LONGEST_LINE, WHICH_IDEAS, Form, how, offers_none, one
from grader.site.quiz.steps import split_steps
from grader.site.quiz.words import sentence
from grader.site.text import inline, prose

_ROWS = {"code": 2, "explain": 5}
"""The lines of a field in which several may be typed."""


@dataclass(frozen=True, slots=True)
class Choice:
    """Something to be chosen or ticked, or a step to be given its place: `value` is sent, `mark` stands before it."""

    value: str
    mark: str
    text: Markup
    chosen: bool = False
    place: str = ""


@dataclass(frozen=True, slots=True)
class Field:
    """What is filled in. shape: which of the template's fields; typed: what was sent before, and is kept; none: whether
    "none of these" is ticked, None where it is not offered."""

    shape: str
    how: str
    name: str = "answer"
    typed: str = ""
    choices: Sequence[Choice] = ()
    none: bool | None = None
    inputmode: str = "text"
    rows: int = 1
    most: int = LONGEST_LINE


def question(
    held: Held,
    turn: Turn,
    companion: Companion | None,
    *,
    root: str,
    form: Form | None = None,
    asked_back: str = "",
    ideas: Sequence[str] = (),
    notice: str = "",
) -> Markup:
    """The form of the question that is asked now.

    form: what was sent and is kept; asked_back: what was wrong with it; ideas: those of an explanation that has been
    written; notice: what happened before.
    """
    text, _ = split_steps(turn.drawn) if turn.drawn.question.kind == "order" else (turn.drawn.prompt, ())
    announced = companion.announce(turn.drawn) if companion else ""
    return fragment(
        "quiz/question.html",
        slug=held.slug,
        practice=held.practice,
        root=root,
        heading=turn_heading(held.occasion.capitalize(), turn),
        session=held.sitting.session,
        item=turn.asked.item,
        attempt=turn.attempt,
        prompt=prose(text),
        field=ideas_field(ideas, form or {}) if ideas else field(turn, form or {}),
        announced=sentence(announced),
        hints=[prose(hint) for hint in turn.drawn.hints],
        asked_back=sentence(asked_back),
        notice=sentence(notice),
    )


def field(turn: Turn, form: Form) -> Field:
    """The field of the question's kind."""
    drawn, says = turn.drawn, how(turn)
    kind = drawn.question.kind
    if kind in ("choice", "multi"):
        chosen = form.get("answer", ())
        choices = [Choice(o.id, letter, inline(o.text), o.id in chosen) for letter, o in lettered(drawn)]
        return Field(kind, says, choices=choices, none="none" in form if offers_none(turn) else None)
    if kind == "order" and (steps := split_steps(drawn)[1]):
        places = [
            Choice(str(number), str(number), inline(step), place=one(form, f"place-{number}"))
            for number, step in enumerate(steps, start=1)
        ]
        return Field("order", says, choices=places)
    if kind == "explain":
        return Field("text", says, "said", one(form, "said"), rows=_ROWS[kind], most=LONGEST)
    rows, inputmode = 1, "text"
    if kind == "code":
        rows, inputmode = (1, "numeric") if asks_line(drawn.question) else (_ROWS[kind], "text")
    return Field("text", says, typed=one(form, "answer"), inputmode=inputmode, rows=rows)


def ideas_field(ideas: Sequence[str], form: Form) -> Field:
    """The ideas of an explanation, to be ticked."""
    ticked = form.get("idea", ())
    choices = [Choice(str(n), str(n), inline(idea), str(n) in ticked) for n, idea in enumerate(ideas, start=1)]
    return Field("ideas", WHICH_IDEAS, "idea", one(form, "said").strip(), choices)
