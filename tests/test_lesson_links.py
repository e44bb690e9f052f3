"""Every link of every lesson page leads somewhere, and every quiz has the questions that a lesson must have."""

import re
from collections import Counter

import pytest
import yaml

from grader.course.headings import headings
from grader.course.load import load_course

COURSE = load_course()
LINK = re.compile(r"(?<!!)\[[^\]]+\]\(([^)\s]+)\)")
KINDS = {"choice", "multi", "numeric", "shape", "order", "short", "code", "explain"}


def without_code(page: str) -> str:
    return re.sub(r"`[^`\n]*`", "", re.sub(r"```.*?```", "", page, flags=re.DOTALL))


@pytest.mark.parametrize("lesson", COURSE.lessons, ids=lambda lesson: lesson.slug)
def test_every_link_holds(lesson):
    page = lesson.page.read_text("utf-8")
    for target in LINK.findall(without_code(page)):
        if target.startswith(("https://", "http://")):
            continue
        path, _, anchor = target.partition("#")
        linked = (lesson.folder / path) if path else lesson.page
        assert linked.is_file(), target
        if anchor:
            assert anchor in {heading.anchor for heading in headings(linked.read_text("utf-8"))}, target


def questions(lesson) -> list[dict]:
    return yaml.safe_load((lesson.folder / "quiz.yaml").read_text("utf-8"))["questions"]


@pytest.mark.parametrize("lesson", COURSE.lessons, ids=lambda lesson: lesson.slug)
def test_every_quiz_has_twelve_questions_of_which_half_have_drawn_numbers_that_the_reference_computes(lesson):
    asked = questions(lesson)
    ids = [question["id"] for question in asked]
    assert len(ids) == len(set(ids)) >= 12
    assert all(question.get("explanation") for question in asked)
    drawn = [q for q in asked if q.get("params") and isinstance(q.get("answer"), dict) and "ref" in q["answer"]]
    assert 2 * len(drawn) >= len(asked)
    assert {"shape", "code", "explain"} <= {question["kind"] for question in asked}


def test_every_kind_of_question_is_used_somewhere():
    used = Counter(question["kind"] for lesson in COURSE.lessons for question in questions(lesson))
    assert set(used) == KINDS
