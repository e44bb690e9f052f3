"""The questions of a lesson in its page: every kind by mouse, by keyboard alone, and as whole pages without scripts."""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from browser.quiz_taker import Keyboard, Mouse
from browser.standards import OVERFLOW
from click.testing import CliRunner
from made_quiz import QUIZ, complete
from made_serve import MadeBench
from playwright.sync_api import Browser, Page, expect
from quiz_page import right
from typist import Typist, asked_now
from typist import right as typed_right

from grader.cli import main
from grader.course.model import Course
from grader.records.kinds import ANSWER, SESSION
from grader.records.log import Log
from grader.review.learner import LearnerRecords
from grader.review.session import UNKNOWN
from grader.site.quiz.room import QuizRoom
from grader.site.serve.app import create_app
from grader.site.serve.guard import Guard
from grader.site.serve.live import Live
from grader.site.serve.results import Results
from grader.site.serve.served import Served
from grader.site.serve.server import Server, bound

YESTERDAY, TODAY = "2026-03-01T12:00:00+01:00", "2026-03-02T12:00:00+01:00"
TEXT = (
    "# First\n\n## Doubling\n\nWords.\n\n## The same name, twice\n\nWords.\n\n## Review\n\nFrom memory.\n\n## More\n\n"
)
"""The lesson's page. It goes on below the quiz, so that nothing need move when a piece of another height comes."""
KINDS = {"choice", "multi", "numeric", "shape", "short", "code", "order", "explain"}
SILENT = SimpleNamespace(announce=lambda _: "", remarks=lambda *_: (), close=lambda: None)
"""Companions run code in a sandbox, which these questions have no need of."""
SAID = "I say it in my own words."


class Serving:
    """The made course, whose first lesson was completed yesterday, behind the real application."""

    def __init__(self, course: Course, home: Path) -> None:
        self.course, self.home = course, home
        records, live = LearnerRecords(Log(home)), Live()
        self._open = ExitStack()
        quiz = QuizRoom(course, records, root="/")
        self._open.callback(quiz.close)
        listening = self._open.enter_context(bound(0))
        guard, results = Guard(listening.getsockname()[1]), Results(course, live, tuple)
        self.address, self.complaints = guard.address, list[str]()
        app = create_app(
            course=course, site=Served(course, records, results, quiz), live=live, results=results,
            bench=MadeBench(), quiz=quiz, guard=guard, complain=self.complaints.append,
        )  # fmt: skip
        self._open.callback(Server(app, listening).close)

    def asked(self) -> tuple[str, dict[str, Any]]:
        """The kind of question that is asked now, and the right answer, as it is filled in."""
        turn, key = asked_now(self.home, self.course)
        return turn.drawn.question.kind, right(turn, key)

    def close(self) -> None:
        """What Ctrl-C does to the pages."""
        self._open.close()


@pytest.fixture
def serving(
    lessons: Path, made_course: Course, made_places: None, home: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Serving]:
    (lessons / "first" / "lesson.md").write_text(TEXT + "And so on.\n\n" * 60, encoding="utf-8")
    (lessons / "first" / "quiz.yaml").write_text(QUIZ, encoding="utf-8")
    complete(home)
    monkeypatch.setenv("ANATOMY_NOW", TODAY)
    made = Serving(made_course, home)
    yield made
    made.close()
    assert made.complaints == []


@pytest.fixture
def lesson(serving: Serving, new_page: Callable[..., Page]) -> Callable[..., Page]:
    """Opens the lesson's questions, as a person does who has followed the address that was printed."""

    def opened(width: int = 1280, **context: Any) -> Page:
        tab = new_page(width, **context)
        tab.goto(serving.address)
        tab.goto(f"{tab.url}first.html#quiz")
        return tab

    return opened


def written(home: Path) -> list[dict[str, Any]]:
    """The session of a log and its answers, without what differs between two runs: the ids and the order of items."""
    session, *answers = (event for event in Log(home).read().events if event.type in (SESSION, ANSWER))
    assert {answer.payload["session"] for answer in answers} == {session.id}
    payloads = [{**answer.payload, "session": ""} for answer in answers]
    return [session.payload, *sorted(payloads, key=lambda each: (each["item"], each["try"]))]


def at_the_terminal(home: Path, course: Course, monkeypatch: pytest.MonkeyPatch) -> None:
    """The same session at the terminal: everything is right but the word, which is not known at first."""

    def typed(turn: Any, key: Any) -> list[str]:
        unknown = turn.drawn.question.kind == "short" and turn.attempt == 1
        return [UNKNOWN] if unknown else typed_right(turn, key)

    with monkeypatch.context() as patch:
        patch.setenv("ANATOMY_NOW", YESTERDAY)
        complete(home)
    monkeypatch.setenv("ANATOMY_HOME", str(home))
    monkeypatch.setattr("grader.cli.sessions.companion_here", lambda _: SILENT)
    keyboard = io.BufferedReader(Typist(home, course, typed))
    done = CliRunner().invoke(main, ["review"], input=keyboard, prog_name="anatomy", catch_exceptions=False)
    assert done.exit_code == 0


@pytest.mark.parametrize("hands", [Mouse, Keyboard])
def test_every_kind_is_answered_and_recorded_as_at_the_terminal(
    hands: type[Mouse], lesson: Callable[..., Page], serving: Serving, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    tab = lesson(reduced_motion="reduce")  # else it scrolls on while it is looked at
    learner, verdict = hands(tab), tab.locator("#quiz .quiz-verdict")
    tab.evaluate("() => { window.stays = true; }")
    learner.press("Begin the review")
    expect(tab.locator("#quiz h3")).to_be_focused()
    place = tab.evaluate("() => scrollY")
    met, unknown = set(), False
    while tab.locator("#quiz form input[name=item]").count():
        kind, filled = serving.asked()
        met.add(kind)
        if kind == "choice":
            learner.open("Hint 1 of 2")
            expect(tab.get_by_text("Try 3.")).to_be_visible()
        if kind == "numeric":
            asked_back(tab, learner)
        if kind == "explain":
            learner.fill({"said": SAID})
            learner.press("Compare with the ideas")
            expect(tab.locator("#quiz blockquote")).to_have_text(SAID)
        if kind == "short" and not unknown:
            unknown = True
            learner.press("I don\u2019t know")
            expect(verdict).to_contain_text("Not yet. The answer: twice")
        else:
            learner.fill(filled)
            learner.press("These were in it" if kind == "explain" else "Answer")
            expect(verdict).to_contain_text("Right.")
        expect(verdict).to_be_focused()
        expect(verdict).to_have_role("status")
        if tab.get_by_role("button", name="Next question").count():
            learner.press("Next question")
            expect(tab.locator("#quiz h3")).to_be_focused()
    assert met == KINDS
    expect(tab.locator("#quiz")).to_contain_text("Right at the first try: 7 of 8")
    assert tab.evaluate("() => [window.stays, scrollY]") == [True, place]
    at_the_terminal(tmp_path / "other", serving.course, monkeypatch)
    assert written(serving.home) == written(tmp_path / "other")


def asked_back(tab: Page, learner: Mouse) -> None:
    """What cannot be read is asked for again, with what was typed."""
    learner.fill({"answer": "0,5"})
    learner.press("Answer")
    field = tab.get_by_label("Your answer")
    expect(field).to_be_focused()
    expect(field).to_have_value("0,5")
    expect(tab.locator("#quiz").get_by_role("alert")).to_contain_text("Type 0.5, with a point.")


def test_without_scripts_the_same_forms_lead_to_pages_of_their_own(
    lesson: Callable[..., Page], serving: Serving, new_page: Callable[..., Page], axe: Callable[..., list[str]]
) -> None:
    tab, checked = lesson(390, java_script_enabled=False), new_page(390)  # axe-core is a script itself

    def kept_out() -> list[str]:
        checked.set_content(tab.content())
        return axe(checked)

    home = tab.url.partition("first.html")[0]
    tab.get_by_role("button", name="Begin the review").click()
    for _ in range(3):
        tab.get_by_role("button", name="I don\u2019t know").click()
        expect(tab.locator(".quiz-verdict")).to_contain_text("Not yet.")
        assert tab.url == f"{home}quiz/first/answer"
        tab.get_by_role("button", name="Next question").click()
    assert kept_out() == []
    tab.get_by_role("button", name="I don\u2019t know").click()
    assert kept_out() == []
    assert tab.evaluate(OVERFLOW) <= 0
    tab.get_by_role("link", name="The lesson: First").click()
    assert tab.url == f"{home}first.html"
    expect(tab.locator("#quiz h3")).to_contain_text("question 5 of 8")
    assert len(written(serving.home)) == 5


def test_when_the_server_ends_the_page_says_so_and_keeps_what_was_typed(browser: Browser, serving: Serving) -> None:
    tab = browser.new_page()  # Chromium tells its console of every request that nobody answers
    tab.goto(serving.address)
    tab.goto(f"{tab.url}first.html#quiz")
    learner = Mouse(tab)
    question = tab.locator("#quiz input[name=item]")
    learner.press("Begin the review")
    expect(question).to_have_count(1)
    while serving.asked()[0] != "explain":
        learner.press("I don\u2019t know")
        expect(question).to_have_count(0)
        learner.press("Next question")
        expect(question).to_have_count(1)
    learner.fill({"said": SAID})
    serving.close()
    learner.press("Compare with the ideas")
    expect(tab.locator("#quiz").get_by_role("alert")).to_contain_text("The server does not answer.")
    expect(tab.get_by_label("Your explanation")).to_have_value(SAID)
    expect(tab.locator("#live-told")).to_contain_text("Is `anatomy serve` still running?")
    tab.close()
