"""Every kind of question as a form: right, wrong, unreadable, not known, and what is told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from quiz_page import WRONG, Fragment, right
from typist import asked_now

from grader.course.model import Course
from grader.records import clock
from grader.records.event import Event
from grader.records.kinds import ANSWER, SESSION
from grader.records.log import Log
from grader.site.quiz.room import QuizRoom

KINDS = {
    "choice": "first-who", "multi": "first-which", "numeric": "first-number", "shape": "first-sizes",
    "short": "first-word", "code": "first-prints", "order": "first-steps", "explain": "first-why",
}  # fmt: skip


class Asked:
    """One question of the made quiz, asked in a session of its own."""

    def __init__(self, room: QuizRoom, home: Path, course: Course) -> None:
        self._room, self._home, self._course = room, home, course
        self.shown = Fragment(room.show("first"))

    def send(self, **filled: str | list[str]) -> Fragment:
        """Fill in the form as it was shown last, and send it."""
        form = self.shown.form(**filled)
        self.shown = Fragment(self._room.answer("first", form["practice"] == ["1"], form))
        return self.shown

    def right(self) -> dict[str, Any]:
        return right(*asked_now(self._home, self._course))

    @property
    def answers(self) -> list[Event]:
        return [event for event in Log(self._home).read().events if event.type == ANSWER]


@pytest.fixture
def ask(room, course, home):
    """Begins a session that asks one kind of question."""

    def begun(kind: str) -> Asked:
        items = [{"item": KINDS[kind], "version": 1, "seed": "5eed", "why": "rotation"}]
        Log(home).append(SESSION, {"lesson": "first", "practice": False, "items": items}, clock.now())
        return Asked(room(), home, course)

    return begun


def explained(asked: Asked) -> None:
    """Get an explanation out of the way, so that its ideas can be ticked."""
    if asked.shown.find("textarea", name="said"):
        asked.send(said="In my words.")


@pytest.mark.parametrize("kind", KINDS)
def test_a_right_answer_is_recorded_and_told(ask, kind):
    asked = ask(kind)
    assert asked.shown.heading == "Rung 1 of 5: question 1 of 1"
    explained(asked)
    told = asked.send(**asked.right())
    assert "Right." in told.text
    (answer,) = asked.answers
    assert (answer.payload["item"], answer.payload["score"], answer.payload["try"]) == (KINDS[kind], 1.0, 1)
    assert "Right at the first try: 1 of 1, score 1.00: passed" in told.text
    assert "Next: rung 2 of 5" in told.text


@pytest.mark.parametrize("kind", KINDS)
def test_a_wrong_answer_is_told_with_the_right_one_and_comes_back(ask, kind):
    asked = ask(kind)
    explained(asked)
    told = asked.send(**WRONG[kind])
    assert "Not yet." in told.text
    assert "It comes back at the end of this session." in told.text
    assert [answer.payload["missed"] for answer in asked.answers] == [True]
    assert told.find("form", method="get", action="quiz/first")


@pytest.mark.parametrize("kind", KINDS)
def test_not_knowing_is_a_miss_without_guessing(ask, kind):
    told = ask(kind).send(unknown="1")
    assert "Not yet." in told.text
    assert "You did not know." in told.text


UNREADABLE = {
    "choice": ({}, "Choose one of them."),
    "multi": ({}, "Tick all that apply"),
    "numeric": ({"answer": "0,5"}, "Type 0.5, with a point."),
    "shape": ({"answer": "2.5, 3"}, "A size is a whole number."),
    "short": ({"answer": "  "}, "Type a word or two."),
    "code": ({"answer": ""}, "Type what is printed."),
    "order": ({"place_1": "1", "place_2": "1"}, "step 3 is without one"),
    "explain": ({"said": "x" * 4001}, "That is too long."),
}


@pytest.mark.parametrize("kind", KINDS)
def test_what_cannot_be_read_is_asked_back_beside_the_same_question_and_uses_no_try(ask, kind):
    asked = ask(kind)
    question = asked.shown.find("input", type="hidden", name="item")
    filled, says = UNREADABLE[kind]
    again = asked.send(**filled)
    assert says in again.text
    assert again.find("input", type="hidden", name="item") == question
    assert asked.answers == []
    (problem,) = again.find("p", role="alert")
    assert any(problem["id"] in attrs.get("aria-describedby", "").split() for _, attrs in again.tags)


def test_what_was_filled_in_is_kept_where_it_is_asked_back(ask):
    typed = ask("numeric").send(answer='0,5" onfocus="x')
    assert typed.find("input", name="answer", value='0,5" onfocus="x')
    placed = ask("order").send(place_1="2", place_2="2", place_3="1")
    assert "Place 2 is taken twice: steps 1 and 2 are there." in placed.text
    assert len(placed.find("option", selected="", value="2")) == 2
    ticked = ask("multi").send(answer="two", none="1")
    assert ticked.find("input", name="answer", value="two", checked="")
    assert ticked.find("input", name="none", checked="")


def test_none_of_several_is_an_answer_of_its_own(ask):
    asked = ask("multi")
    told = asked.send(none="1")
    assert asked.answers[0].payload["given"] == "none"
    assert "None of these." in told.text


def test_half_of_several_is_told_as_that_with_the_letters_of_what_was_judged_wrongly(ask):
    asked = ask("multi")
    told = asked.send(answer="two")
    assert "In part: 50% of it." in told.text
    assert ") Four is." in told.text


def test_steps_are_given_places_and_no_numbers_are_typed(ask):
    asked = ask("order")
    assert [select["name"] for select in asked.shown.find("select")] == ["place-1", "place-2", "place-3"]
    assert "<code>sum</code>" in asked.shown.html
    assert "Nothing is left out." in asked.shown.text
    assert "Type the" not in asked.shown.text
    told = asked.send(**WRONG["order"])
    assert "Step 1 is not the first." in told.text
    assert asked.answers[0].payload["given"] == "1 2 3"


def test_a_page_never_asks_for_letters_or_keys(ask):
    for kind in KINDS:
        shown = ask(kind).shown
        assert "letter" not in shown.text
        assert "Ctrl" not in shown.text


def test_an_explanation_is_written_before_its_ideas_are_shown(ask):
    asked = ask("explain")
    assert "Another idea." not in asked.shown.html
    ticking = asked.send(said="First line\r\nsecond <b>line</b>")
    assert asked.answers == []
    assert "Another idea." in ticking.text
    told = asked.send(idea=["1", "3"])
    assert "In part: 67% of it." in told.text
    assert "Another idea." in told.text
    (answer,) = asked.answers
    assert answer.payload["said"] == "First line\nsecond <b>line</b>"
    assert answer.payload["given"] == "1 3"


def test_who_cannot_explain_reads_the_ideas(ask):
    assert "A third idea." in ask("explain").send(unknown="1").text


def test_an_explanation_aloud_leaves_no_text(ask):
    asked = ask("explain")
    asked.send(said=" ")
    asked.send()
    assert asked.answers[0].payload["given"] == "none"
    assert "said" not in asked.answers[0].payload


def test_a_dot_is_no_answer_in_a_page(ask):
    asked = ask("short")
    assert "press the button" in asked.send(answer=" . ").text
    assert asked.answers == []


def test_what_is_no_text_is_asked_for_again(ask):
    for garbled in ("\x1b[A", "\ufffd", "two\x00"):
        asked = ask("short")
        assert "characters that are no text" in asked.send(answer=garbled).text
        assert asked.answers == []


def test_hints_are_there_one_by_one_and_closed(ask):
    shown = ask("choice").shown
    assert [attrs for attrs in shown.find("details") if "open" in attrs] == []
    assert shown.text.index("Hint 1 of 2") < shown.text.index("Try 3.") < shown.text.index("Hint 2 of 2")


def test_fields_are_named_and_described(ask):
    for kind in KINDS:
        shown = ask(kind).shown
        for tag in ("input", "textarea", "select"):
            for attrs in shown.find(tag):
                if attrs.get("type") in (None, "text"):
                    assert shown.find("label", **{"for": attrs["id"]}), (kind, attrs)
        assert shown.find("fieldset") or shown.find("label")
        assert [attrs["tabindex"] for attrs in shown.find("h3")] == ["-1"]
        assert shown.find("form", method="post", action="quiz/first/answer", **{"data-swap": "quiz"})
        assert shown.tags[0][1]["data-fragment"] == "quiz"


SCRIPT = "<script>alert(1)</script>"


def test_what_a_learner_typed_is_text_wherever_it_is_shown_again(ask):
    for kind, filled in (
        ("short", {"answer": SCRIPT}),
        ("code", {"answer": SCRIPT}),
        ("numeric", {"answer": SCRIPT}),
        ("shape", {"answer": SCRIPT}),
        ("explain", {"said": f"</textarea>{SCRIPT}"}),
    ):
        asked = ask(kind)
        shown = [asked.send(**filled)]
        if kind == "explain":
            shown.append(asked.send(idea="1"))
        for fragment in shown:
            assert "alert(1)" in fragment.html
            assert not fragment.find("script")


def test_markdown_of_a_learner_stays_what_it_is(ask):
    told = ask("short").send(answer="[x](http://example.org) ![y](http://example.org/z.png)")
    assert not told.find("a", href="http://example.org")
    assert not told.find("img")


def test_of_one_choice_two_cannot_be_sent(ask):
    assert "Choose one of them." in ask("choice").send(answer=["square", "this-and-that"]).text


@pytest.mark.parametrize("kind", ["choice", "order", "explain"])
def test_fields_that_no_form_has_are_no_answer(ask, kind):
    asked = ask(kind)
    explained(asked)
    again = asked.send(answer="nonsense", place_1="9", place_2="-1", place_3="<b>", idea="17")
    assert again.find("p", role="alert")
    assert asked.answers == []
