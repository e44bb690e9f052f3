"""The questions of a lesson to be answered on paper: the answers are there, closed until they are asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from grader.course.model import Course, Lesson
from grader.review.questions.draw import draw
from grader.review.questions.kinds import numeric
from grader.review.questions.kinds.choice import lettered
from grader.review.questions.load import load_quiz
from grader.review.questions.marking import key, lesson_section
from grader.review.questions.model import Drawn, Key, Question
from grader.review.questions.oracle import Oracle
from grader.review.questions.recorded import oracle_here
from grader.site.pages import fragment
from grader.site.quiz.steps import unasked
from grader.site.sections import section_title
from grader.site.text import inline, prose

SEED = "site"


@dataclass(frozen=True, slots=True)
class OnPaper:
    """A question with its answer. options: letter, text, whether it is right, what is said of it; slips: other answers
    that come up and what is said of them; ideas: those of an explanation; section: where to read in the lesson."""

    prompt: Markup
    options: Sequence[tuple[str, Markup, bool, Markup]]
    hints: Sequence[Markup]
    answer: Markup
    slips: Sequence[tuple[str, Markup]]
    ideas: Sequence[Markup]
    explanation: Markup
    section: str | None
    section_title: Markup


def static_quiz(course: Course, lesson: Lesson, instances: int | None = None) -> Markup:
    """Every question of the lesson's quiz, with the numbers of one seed. Raises CourseErrors.

    instances: so many at most, of all kinds and of as many concepts as can be.
    """
    oracle = oracle_here()
    questions = load_quiz(lesson)
    chosen = questions if instances is None else _some(questions, instances)
    return fragment(
        "quiz/onpaper.html",
        slug=lesson.slug,
        questions=[_on_paper(draw(question, SEED), oracle, course) for question in chosen],
    )


def _some(questions: Sequence[Question], most: int) -> list[Question]:
    """The questions that add most to those chosen before: a kind, else concepts; in the order of the file."""
    left, chosen = list(questions), list[Question]()
    kinds: set[str] = set()
    concepts: set[str] = set()
    while left and len(chosen) < most:
        best = max(left, key=lambda each: (each.kind not in kinds, len(set(each.concepts) - concepts)))
        left.remove(best)
        chosen.append(best)
        kinds.add(best.kind)
        concepts.update(best.concepts)
    return [question for question in questions if question in chosen]


def _on_paper(drawn: Drawn, oracle: Oracle, course: Course) -> OnPaper:
    right = key(drawn, oracle)
    kind = drawn.question.kind
    anchor = lesson_section(drawn.question, course)
    ideas = [inline(str(idea)) for idea in right.value] if kind == "explain" and isinstance(right.value, tuple) else []
    return OnPaper(
        prompt=prose(unasked(drawn.prompt) if kind == "order" else drawn.prompt),
        options=[(letter, inline(o.text), o.right, inline(o.feedback)) for letter, o in lettered(drawn)],
        hints=[prose(hint) for hint in drawn.hints],
        answer=Markup() if ideas or drawn.options else inline(right.shown),
        slips=[(_written(drawn, value), inline(says)) for value, says in _slips(drawn, right)],
        ideas=ideas,
        explanation=prose(drawn.explanation),
        section=anchor,
        section_title=section_title(course.lesson(drawn.question.lesson), anchor) if anchor else Markup(),
    )


def _slips(drawn: Drawn, right: Key) -> Sequence[tuple[object, str]]:
    """Wrong answers that are known, each value once, where people give them in numbers or sizes."""
    if drawn.question.kind not in ("numeric", "shape"):
        return []
    return list({_written(drawn, value): (value, says) for value, says in reversed(right.slips)}.values())[::-1]


def _written(drawn: Drawn, value: object) -> str:
    if isinstance(value, tuple):
        return f"({', '.join(map(str, value))}{',' if len(value) == 1 else ''})"
    return numeric.written(numeric.number(value), numeric.tolerance(drawn))
