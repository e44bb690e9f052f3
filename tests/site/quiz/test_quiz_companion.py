"""The learner's own function, snippets that are run, and questions born of mistakes, in a page as at the terminal."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest
from quiz_page import Fragment, right
from typist import asked_now

from grader.course.load import load_course
from grader.records import clock
from grader.records.kinds import ANSWER, GRADING, SESSION
from grader.records.log import Log
from grader.review.companion import Companion
from grader.review.learner import LearnerRecords
from grader.site.quiz.room import QuizRoom

LESSON = "normalization"
OWN, PRINTS, MISTAKE = (
    "normalization-rms-norm-last-feature",
    "normalization-a-copy-that-is-none",
    "mistake/normalization.rms_norm.eps-outside-root",
)
RAISES = """
def rms_norm(x, weight, eps=1e-6):
    raise ValueError("<script>alert(1)</script> [x](http://example.org) `</code>")
"""
ZEROS = """
def rms_norm(x, weight, eps=1e-6):
    return 0 * x
"""
COURSE = load_course()


@pytest.fixture
def asked(home, zygote, tmp_path):
    """Asks one item of the real course, with a zygote that is lent; `modules` is the learner's folder."""
    folder = tmp_path / "student"
    folder.mkdir()
    with ThreadPoolExecutor(1) as bench:
        companion = Companion(COURSE, folder, lambda: zygote, bench)
        page = QuizRoom(COURSE, LearnerRecords(Log(home)), companion)

        def ask(item: str, source: str = "") -> Fragment:
            (folder / f"{LESSON}.py").write_text(source, encoding="utf-8")
            items = [{"item": item, "version": 1, "seed": "5eed", "why": "rotation"}]
            Log(home).append(SESSION, {"lesson": LESSON, "practice": True, "items": items}, clock.now())
            return Fragment(page.show(LESSON))

        def answer(shown: Fragment, **filled) -> Fragment:
            return Fragment(page.answer(LESSON, True, shown.form(**filled)))

        yield ask, answer, folder
        page.close()
        companion.close()
    assert zygote.alive


def test_the_learners_own_function_is_announced_and_told(asked, home):
    ask, answer, _ = asked
    shown = ask(OWN, ZEROS)
    assert "Your own rms_norm is asked as well: predict it." in shown.text
    told = answer(shown, **right(*asked_now(home, COURSE)))
    assert "Your answer is the right one, but your own rms_norm gives 0" in told.text


def test_a_function_that_was_mended_meanwhile_is_asked_as_it_is_now(asked):
    ask, answer, folder = asked
    shown = ask(OWN, ZEROS)
    (folder / f"{LESSON}.py").write_text(ZEROS.replace("0 * x", "0 * x + 7.5"), encoding="utf-8")
    assert "your own rms_norm gives 7.5" in answer(shown, unknown="1").text.replace("Your", "your")


def test_what_the_learners_code_says_is_text(asked):
    ask, answer, _ = asked
    told = answer(ask(OWN, RAISES), answer="3")
    assert "raised ValueError: <script>alert(1)</script> [x](http://example.org)" in told.text
    assert not told.find("script")
    assert not told.find("a", href="http://example.org")


def test_a_snippet_is_run_once_it_has_been_predicted(asked):
    ask, answer, _ = asked
    shown = ask(PRINTS)
    assert shown.find("textarea", name="answer")
    told = answer(shown, unknown="1")
    assert "Run just now, it prints:" in told.text
    assert told.find("pre")


def test_mistakes_that_a_grading_named_are_asked_about(home):
    graded = {"normalization.rms_norm": {"status": "partial", "earned": 1, "possible": 12}}
    named = {**graded["normalization.rms_norm"], "misconception": MISTAKE.removeprefix("mistake/")}
    Log(home).append(GRADING, {"seed": 1, "exercises": {"normalization.rms_norm": named}}, clock.now())
    page = QuizRoom(COURSE, LearnerRecords(Log(home)))
    shown = Fragment(page.begin(LESSON, practice=True))
    while shown.hidden["item"] != [MISTAKE]:
        page.answer(LESSON, True, shown.form(unknown="1"))
        shown = Fragment(page.show(LESSON))
    assert shown.find("input", type="radio") or shown.find("input", name="answer")
    told = Fragment(page.answer(LESSON, True, shown.form(**right(*asked_now(home, COURSE)))))
    page.close()
    assert "Right." in told.text
    answers = [event.payload for event in Log(home).read().events if event.type == ANSWER]
    assert (answers[-1]["item"], answers[-1]["missed"]) == (MISTAKE, False)
