"""One log, many who look at it: tabs, terminals, a server that was started anew, and what the terminal would write."""

from __future__ import annotations

import io
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from click.testing import CliRunner
from made_quiz import QUIZ, complete
from quiz_page import Fragment, right
from typist import Typist, asked_now
from typist import right as typed_right

from grader.cli import main
from grader.course.model import UnknownName
from grader.records import clock
from grader.records.event import Event
from grader.records.kinds import ANSWER, PAUSE, SESSION, VOID
from grader.records.log import Log
from grader.review.bank import LessonBank
from grader.review.learner import LearnerRecords
from grader.site.quiz.room import QuizRoom


def events(home: Path, *kinds: str) -> list[Event]:
    return [event for event in Log(home).read().events if event.type in kinds]


def fill(room: QuizRoom, shown: Fragment, practice: bool = False, **filled: str | list[str]) -> Fragment:
    return Fragment(room.answer("first", practice, shown.form(**filled)))


def answer_rightly(room: QuizRoom, home: Path, course, practice: bool = False) -> Fragment:
    """Answer what is asked now."""
    turn, key = asked_now(home, course)
    shown = Fragment(room.show("first", practice))
    if turn.drawn.question.kind == "explain":
        shown = fill(room, shown, practice, said="I say it in my own words.")
    return fill(room, shown, practice, **right(turn, key))


def at_the_terminal(home: Path, course, *words: str, stop_after: int | None = None) -> None:
    """Hold a session at the terminal, answering rightly; leave before the question after `stop_after`."""
    left = [1000 if stop_after is None else stop_after]

    def typed(turn, key):
        left[0] -= 1
        return typed_right(turn, key) if left[0] >= 0 else None

    keyboard = io.BufferedReader(Typist(home, course, typed))
    CliRunner().invoke(main, words, input=keyboard, prog_name="anatomy", catch_exceptions=False)


class Silent:
    """A companion that adds nothing: none is needed here, and it would start a sandbox."""

    def announce(self, drawn):
        return ""

    def remarks(self, turn, reply):
        return ()

    def close(self):
        pass


@pytest.fixture(autouse=True)
def silent(monkeypatch):
    monkeypatch.setattr("grader.cli.sessions.companion_here", lambda _course: Silent())


def test_opening_a_page_begins_nothing_and_says_what_may_be_begun(room, home):
    shown = Fragment(room().show("first"))
    assert shown.heading == "Review: rung 1 of 5"
    assert "Eight questions, a few minutes" in shown.text
    assert "Rung 1 of 5, due today." in shown.text
    assert shown.find("form", method="post", action="quiz/first/begin")
    assert events(home, SESSION, ANSWER) == []


def test_a_lesson_that_is_not_completed_can_be_practised(room, course, lessons, home):
    (lessons / "second" / "quiz.yaml").write_text(QUIZ.replace("first-", "second-"), encoding="utf-8")
    rooms = room()
    shown = Fragment(rooms.show("second"))
    assert shown.heading == "Practice"
    assert "begin the day after it is completed" in shown.text
    begun = Fragment(rooms.begin("second", practice=shown.hidden["practice"] == ["1"]))
    assert begun.heading == "Practice: question 1 of 8"


def test_the_page_writes_what_the_terminal_writes_for_the_same_answers(room, course, home, tmp_path, monkeypatch):
    page = room()
    page.begin("first")
    for _ in range(8):
        answer_rightly(page, home, course)
    other = tmp_path / "other"
    with monkeypatch.context() as patch:
        patch.setenv("ANATOMY_NOW", "2026-03-01T12:00:00+01:00")
        complete(other)
    monkeypatch.setenv("ANATOMY_HOME", str(other))
    at_the_terminal(other, course, "review")
    written = {}
    for each in (home, other):
        session, *answers = events(each, SESSION, ANSWER)
        assert all(answer.payload["session"] == session.id for answer in answers)
        payloads = [{**answer.payload, "session": ""} for answer in answers]
        written[each] = [session.payload, *sorted(payloads, key=lambda payload: payload["item"])]
    assert len(written[home]) == 9
    assert written[home] == written[other]


def test_the_answer_is_on_the_disk_before_anything_is_told(room, course, home, monkeypatch):
    recorded = []
    monkeypatch.setattr("grader.site.quiz.table.told", lambda *_: recorded.append(len(events(home, ANSWER))) or "")
    page = room()
    page.begin("first")
    page.answer("first", False, Fragment(page.show("first")).form(unknown="1"))
    assert recorded == [1]


def test_an_answer_that_is_sent_twice_counts_once(room, course, home):
    page = room()
    form = Fragment(page.begin("first")).form(unknown="1")
    page.answer("first", False, form)
    again = Fragment(page.answer("first", False, form))
    assert "answered already" in again.text
    assert again.heading == "Rung 1 of 5: question 2 of 8"
    assert len(events(home, ANSWER)) == 1


def test_of_many_tabs_that_answer_at_once_one_is_recorded(room, home):
    page, other_server = room(), room()
    form = Fragment(page.begin("first")).form(unknown="1")
    with ThreadPoolExecutor(6) as tabs:
        told = [*tabs.map(lambda _: page.answer("first", False, form), range(6))]
    assert sum("You did not know." in each for each in told) == 1
    assert sum("answered already" in each for each in told) == 5
    assert len(events(home, ANSWER)) == 1
    assert "question 2 of 8" in other_server.show("first")


def test_two_tabs_see_one_session(room, home):
    page = room()
    one, other = Fragment(page.begin("first")), Fragment(page.begin("first"))
    assert one.html == other.html
    assert len(events(home, SESSION)) == 1


def test_a_session_outlives_the_server(room, course, home):
    before = room()
    before.begin("first")
    for _ in range(3):
        answer_rightly(before, home, course)
    asked = before.show("first")
    assert room().show("first") == asked
    assert "question 4 of 8" in asked


def test_what_was_missed_comes_back_after_a_new_start_too_and_its_heading_is_that_of_its_rung(room, course, home):
    page = room()
    fill(page, Fragment(page.begin("first")), unknown="1")
    for _ in range(7):
        told = answer_rightly(page, home, course)
    assert "Next question" in told.text
    again = Fragment(room().show("first"))
    assert again.heading == "Rung 1 of 5: once more, not scored"
    told = answer_rightly(room(), home, course)
    assert "Right at the first try: 7 of 8, score 0.88: passed" in told.text
    shown = Fragment(room().show("first"))
    assert shown.heading == "first, rung 1 of 5: done."
    assert "Next: rung 2 of 5, Wed 2026-03-04." in shown.text


def test_terminal_and_page_take_turns_on_one_session(room, course, home, monkeypatch):
    page = room()
    page.begin("first")
    answer_rightly(page, home, course)
    stale = Fragment(page.show("first")).form(unknown="1")
    at_the_terminal(home, course, "review", stop_after=3)
    assert Fragment(page.show("first")).heading == "Rung 1 of 5: question 5 of 8"
    assert "answered already" in page.answer("first", False, stale)
    for _ in range(2):
        answer_rightly(page, home, course)
    at_the_terminal(home, course, "review")
    assert len(events(home, SESSION)) == 1
    assert len(events(home, ANSWER)) == 8
    assert "score 1.00: passed" in page.show("first")


def test_a_review_that_was_taken_meanwhile_is_not_begun_again(room, course, home):
    page = room()
    page.show("first")
    at_the_terminal(home, course, "review")
    shown = Fragment(page.begin("first"))
    assert "has been taken already" in shown.text
    assert len(events(home, SESSION)) == 1


def test_after_the_review_there_is_practice_which_takes_no_rung(room, course, home):
    page = room()
    at_the_terminal(home, course, "review")
    begun = Fragment(page.begin("first", practice=True))
    assert begun.heading == "Practice: question 1 of 8"
    assert Fragment(page.show("first")).heading == begun.heading
    for _ in range(8):
        told = answer_rightly(page, home, course, practice=True)
    assert "This was practice and takes no rung." in told.text
    assert told.find("form", action="quiz/first/begin")
    page.begin("first", practice=True)
    assert [event.payload["practice"] for event in events(home, SESSION)] == [False, True, True]


def test_practice_can_be_asked_for_where_a_review_is_due(room, home):
    page = room()
    assert Fragment(page.show("first", practice=True)).heading == "Practice"
    page.begin("first", practice=True)
    assert Fragment(page.show("first")).heading == "Review: rung 1 of 5"


def test_the_next_day_a_session_begins_anew_and_the_old_form_is_over(room, home, monkeypatch):
    page = room()
    form = Fragment(page.begin("first")).form(unknown="1")
    monkeypatch.setenv("ANATOMY_NOW", "2026-03-03T04:01:00+01:00")
    shown = Fragment(page.answer("first", False, form))
    assert "The session of that question is over" in shown.text
    assert shown.heading == "Review: rung 1 of 5"
    assert events(home, ANSWER) == []
    page.begin("first")
    assert len(events(home, SESSION)) == 2


def test_a_session_that_was_undone_is_over(room, home):
    page = room()
    form = Fragment(page.begin("first")).form(unknown="1")
    (session,) = events(home, SESSION)
    Log(home).append(VOID, {"event": session.id}, clock.now())
    assert "is over" in page.answer("first", False, form)
    assert events(home, ANSWER) == []


def test_where_the_clock_is_behind_the_log_a_review_is_practice_and_it_says_why(room, home, monkeypatch):
    monkeypatch.setenv("ANATOMY_NOW", "2026-02-01T12:00:00+01:00")
    page = room()
    shown = Fragment(page.show("first"))
    assert shown.heading == "Practice"
    assert "The clock says 2026-02-01" in shown.text
    assert Fragment(page.begin("first")).heading == "Practice: question 1 of 8"
    assert events(home, SESSION)[0].payload["practice"] is True


def test_a_question_that_is_no_more_makes_the_session_begin_anew_by_request_only(room, lessons, home):
    page = room()
    form = Fragment(page.begin("first")).form(unknown="1")
    asked = form["item"][0]
    text = (lessons / "first" / "quiz.yaml").read_text(encoding="utf-8")
    (lessons / "first" / "quiz.yaml").write_text(text.replace(f"id: {asked}", f"id: {asked}-now"), encoding="utf-8")
    later = room()
    for shown in (Fragment(later.show("first")), Fragment(later.answer("first", False, form))):
        assert "Begin" in shown.text
        assert shown.find("form", action="quiz/first/begin")
    assert len(events(home, SESSION)) == 1
    assert events(home, ANSWER) == []
    later.begin("first")
    assert len(events(home, SESSION)) == 2


def test_an_item_about_which_nothing_can_be_asked_is_left_out(room, home, monkeypatch):
    """As a fault that cannot be shown: it is in the stock, and no question comes of it."""
    question = LessonBank.question

    def asked(bank, item, seed):
        if item == "first-sizes":
            raise LookupError(item)
        return question(bank, item, seed)

    monkeypatch.setattr(LessonBank, "question", asked)
    items = [{"item": item, "version": 1, "seed": "5eed", "why": "rotation"} for item in ("first-who", "first-sizes")]
    Log(home).append(SESSION, {"lesson": "first", "practice": False, "items": items}, clock.now())
    page = room()
    told = fill(page, Fragment(page.show("first")), unknown="1")
    assert "Next question" in told.text
    assert "is no more" in Fragment(page.show("first")).text
    assert "question 1 of 7" in page.begin("first")
    assert "first-sizes" not in str(events(home, SESSION)[-1].payload)
    assert len(events(home, ANSWER)) == 1


def test_a_log_that_cannot_be_written_uses_no_try_and_keeps_what_was_typed(room, course, home, monkeypatch):
    def full(tail, _text):
        raise OSError(28, "No space left on device", str(tail._path))

    page = room()
    page.begin("first")
    while not (shown := Fragment(page.show("first"))).find("input", name="answer", type="text"):
        fill(page, shown, unknown="1")
    before = len(events(home, ANSWER))
    with monkeypatch.context() as patch:
        patch.setattr("grader.records.files.Tail.add", full)
        again = fill(page, shown, answer="7")
    assert "No space left on device" in again.text
    assert again.find("input", name="answer", value="7")
    assert "Right." not in again.text
    assert len(events(home, ANSWER)) == before
    assert "You answered" in fill(page, again, answer="7").text


def test_a_session_that_cannot_be_recorded_is_not_begun(room, monkeypatch):
    def refuse(tail, _text):
        raise PermissionError(13, "Permission denied", str(tail._path))

    page = room()
    monkeypatch.setattr("grader.records.files.Tail.add", refuse)
    shown = Fragment(page.begin("first"))
    assert "This could not be recorded" in shown.text
    assert not shown.find("input", name="item")


def test_a_quiz_with_a_mistake_in_it_names_file_and_line(room, lessons):
    path = lessons / "first" / "quiz.yaml"
    path.write_text(path.read_text(encoding="utf-8").replace("explanation:", "explanaton:", 1), encoding="utf-8")
    shown = Fragment(room().show("first"))
    assert "explanaton" in shown.text
    assert "quiz.yaml:" in shown.text


def test_what_is_missed_again_and_again_links_to_the_page(room, course, home, monkeypatch):
    """Three reviews in which everything is missed: the summary names sections, and offers to begin anew."""
    page = room()
    for day in ("02", "04", "08"):
        monkeypatch.setenv("ANATOMY_NOW", f"2026-03-{day}T12:00:00+01:00")
        told = Fragment(page.begin("first"))
        while told.find("input", name="item") or "Next question" in told.text:
            if told.find("input", name="item") and "not scored" in told.heading:
                told = answer_rightly(page, home, course)
            elif told.find("input", name="item"):
                told = fill(page, told, unknown="1")
            else:
                told = Fragment(page.show("first"))
    assert "Right at the first try: 0 of 8, score 0.00: not passed (0.80 is needed)." in told.text
    assert "Missed in three reviews or more" in told.text
    assert {link["href"] for link in told.find("a")} == {"first.html#doubling"}
    alone = QuizRoom(course, LearnerRecords(Log(home)), root="/")  # where the answer is a page at another address
    assert {link["href"] for link in Fragment(alone.show("first")).find("a")} == {"/first.html#doubling"}
    alone.close()
    assert "Two reviews running did not pass." in told.text
    assert "<code>anatomy reset first.double</code>" in told.html


def test_every_lesson_that_is_named_is_one_of_the_course(room):
    with pytest.raises(UnknownName):
        room().show("nowhere")


def test_a_lesson_without_a_quiz_says_so(room):
    assert "quiz.yaml" in Fragment(room().show("second")).text


def test_a_paused_lesson_can_be_reviewed_and_says_that_it_is_paused(room, home):
    Log(home).append(PAUSE, {"lesson": "first"}, clock.now())
    assert "Paused" in Fragment(room().show("first")).text


def test_addresses_stand_where_the_room_is_told(course, home):
    page = QuizRoom(course, LearnerRecords(Log(home)), root="/")
    assert Fragment(page.begin("first")).find("form", action="/quiz/first/answer")
    page.close()
