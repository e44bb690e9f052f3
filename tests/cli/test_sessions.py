"""A session at the keyboard: what is asked, what is told, what is recorded, and what cannot be lost."""

import io
import json
from collections.abc import Callable
from pathlib import Path

import click
import pytest
from click.testing import CliRunner, Result
from typist import Answering, Typist, right, wrong

from grader.cli import main
from grader.course.model import Course
from grader.records.event import Event
from grader.records.log import Log

QUIZ = """\
questions:
  - id: first-sizes
    version: 1
    kind: shape
    concepts: [scale]
    prompt: |
      `x` has shape `(2, 3)`. Which shape has `double(x)`?
    answer: "2, 3"
    also:
      - {value: "4, 6", feedback: "The numbers double, not the sizes."}
    hints: ["Does doubling add numbers?"]
    explanation: |
      Every number is doubled where it stands.
  - id: first-who
    version: 1
    kind: choice
    concepts: [scale]
    prompt: |
      What is twice $x$?
    answer: sum
    options:
      - {id: sum, text: "$x + x$", right: true, feedback: "That is it."}
      - {id: square, text: "$x^2$", feedback: "That is the square."}
    hints: ["Try 3."]
    explanation: |
      Twice is the sum with itself.
  - id: first-why
    version: 1
    kind: explain
    concepts: [scale]
    prompt: |
      Explain doubling.
    answer: ["One idea.", "Another idea.", "A third idea."]
    hints: ["Think."]
    explanation: |
      It is simple.
"""
Review = Callable[..., Result]


@pytest.fixture
def review(anatomy: Review, home: Path, lessons: Path, made_course: Course, monkeypatch: pytest.MonkeyPatch) -> Review:
    """The day after the lesson was completed: run a command, and answer like this."""
    (lessons / "first" / "quiz.yaml").write_text(QUIZ, encoding="utf-8")
    anatomy("complete", "first")
    monkeypatch.setenv("ANATOMY_NOW", "2026-03-02T12:00:00+01:00")

    def run(*arguments: str, typed: Answering = right) -> Result:
        keyboard = io.BufferedReader(Typist(home, made_course, typed))
        return CliRunner().invoke(main, arguments, input=keyboard, prog_name="anatomy", catch_exceptions=False)

    return run


def events(home: Path, kind: str) -> list[Event]:
    return [event for event in Log(home).read().events if event.type == kind]


def scripted(*answers: list[str] | None) -> Answering:
    """These lines one after another, whatever is asked; then the input ends."""
    left = list(answers)
    return lambda _turn, _key: left.pop(0) if left else None


def test_a_session_asks_tells_and_sums_up(review):
    result = review("review", typed=lambda turn, key: wrong(turn, key) if turn.scored else right(turn, key))
    assert result.exit_code == 1
    assert "first, rung 1 of 5: question 1 of 3" in result.stdout
    assert "Not yet." in result.stdout
    assert "Right." in result.stdout
    assert "first, rung 1 of 5: once more, not scored" in result.stdout
    assert "Right at the first try: 0 of 3" in result.stdout
    assert "Next: rung 2 of 5, Wed 2026-03-04." in result.stdout


def test_everything_right_passes_with_code_0(review):
    result = review("review")
    assert result.exit_code == 0
    assert "Right at the first try: 3 of 3, score 1.00: passed" in result.stdout


def test_once_taken_a_rung_is_not_asked_again(review):
    review("review")
    result = review("review")
    assert result.stdout.startswith("Nothing is due today. Next: first, rung 2 of 5, Wed 2026-03-04.")
    closed = review("review", "first")
    assert closed.stdout.startswith("first: rung 2 of 5, due Wed 2026-03-04. No rung can be taken today.")


def test_the_answer_is_on_the_disk_before_anything_is_told(review, home, monkeypatch):
    recorded = []
    monkeypatch.setattr("grader.cli.sitting._tell", lambda *_: recorded.append(len(events(home, "answer"))))
    review("review")
    assert recorded == [1, 2, 3]


@pytest.mark.parametrize("answered", range(3))
def test_the_end_of_the_input_keeps_what_was_answered_and_the_session_goes_on(review, home, answered):
    left = answered

    def stopping(turn, key):
        nonlocal left
        left -= 1
        return right(turn, key) if left >= 0 else None

    stopped = review("review", typed=stopping)
    assert stopped.exit_code == 1
    assert (
        f"first: stopped; {answered} of 3 answers are kept. Go on today with `anatomy review first`" in stopped.stdout
    )
    assert len(events(home, "answer")) == answered
    resumed = review("review")
    assert resumed.exit_code == 0
    assert "3 of 3" in resumed.stdout
    assert len(events(home, "session")) == 1


def test_ctrl_c_in_the_middle_is_one_sentence_and_nothing_is_lost(review, home):
    def interrupted(turn, key):
        if turn.number > 1:
            raise KeyboardInterrupt
        return right(turn, key)

    result = review("review", typed=interrupted)
    assert result.exit_code == 130
    assert " ".join(result.stdout.split()).endswith("tomorrow it begins anew.")
    assert len(events(home, "answer")) == 1


def test_a_session_that_runs_into_the_next_study_day_says_that_it_takes_no_rung(review, monkeypatch):
    def late(turn, key):
        if turn.number == 2:
            monkeypatch.setenv("ANATOMY_NOW", "2026-03-03T04:01:00+01:00")
        return right(turn, key)

    monkeypatch.setenv("ANATOMY_NOW", "2026-03-03T03:59:00+01:00")
    result = review("review", typed=late)
    said = " ".join(result.stdout.split())
    assert "It takes no rung: the study day ended in the middle" in said
    assert result.exit_code == 1
    assert "Rung 1 of 5 is due" in said


def test_what_is_broken_off_does_not_count_the_next_day(review, home, monkeypatch):
    review("review", typed=scripted())
    monkeypatch.setenv("ANATOMY_NOW", "2026-03-03T12:00:00+01:00")
    assert "question 1 of 3" in review("review").stdout
    assert len(events(home, "session")) == 2


def test_an_empty_line_and_what_cannot_be_read_use_no_try(review, home):
    def stammering(turn, key):
        unreadable = ["", "B, T, 2.5"] if turn.drawn.question.kind == "shape" else [""]
        return unreadable + right(turn, key) if turn.drawn.question.kind != "explain" else right(turn, key)

    result = review("review", typed=stammering)
    assert result.exit_code == 0
    assert [event.payload["try"] for event in events(home, "answer")] == [1, 1, 1]


def test_a_question_mark_shows_a_hint_and_uses_no_try(review, home):
    result = review("review", typed=lambda turn, key: ["?", "?", *right(turn, key)])
    assert "Does doubling add numbers?" in result.stdout
    assert "There is no other hint." in result.stdout
    assert result.exit_code == 0


def test_quit_stops(review):
    assert "stopped" in review("review", typed=scripted(["quit"])).stdout


def test_an_explanation_is_written_first_and_its_ideas_are_shown_after(review, home):
    result = review("review")
    text = result.stdout
    assert text.index("in your own words") < text.index("Which of these ideas") < text.index("A third idea.")
    said = [event.payload.get("said") for event in events(home, "answer")]
    assert "I say it in my own words." in said


def test_practice_takes_no_rung(review):
    assert review("quiz", "first").exit_code == 0
    assert "first  rung 1 of 5, due today" in review("review", "--list").stdout
    assert "first, practice: question 1 of 3" in review("review", "first", "--practice").stdout
    assert "first  rung 1 of 5, due today" in review("review", "--list").stdout


def test_a_lesson_that_is_not_completed_has_a_quiz_and_no_reviews(review, lessons):
    (lessons / "second" / "quiz.yaml").write_text(QUIZ.replace("first-", "second-"), encoding="utf-8")
    assert "not completed yet" in review("review", "second").stdout
    assert "Its reviews begin the day after" in review("quiz", "second").stdout


def test_a_read_only_home_is_one_sentence_before_anything_is_asked(review, home, monkeypatch):
    def refuse(tail, _text):
        raise PermissionError(13, "Permission denied", str(tail._path))

    monkeypatch.setattr("grader.records.files.Tail.add", refuse)
    result = review("review")
    assert result.exit_code == 2
    assert result.stderr.startswith("Error: This could not be recorded:")
    assert "question" not in result.stdout


def test_a_log_that_fills_the_disk_in_the_middle_uses_no_try(review, home, monkeypatch):
    from grader.records.files import Tail

    write, left = Tail.add, [2]

    def full(tail, text):
        left[0] -= 1
        if left[0] < 0:
            raise OSError(28, "No space left on device", str(tail._path))
        write(tail, text)

    monkeypatch.setattr(Tail, "add", full)
    result = review("review")
    assert result.exit_code == 2
    assert "No space left on device" in result.stderr
    assert result.stdout.count("Right.") == len(events(home, "answer")) == 1


def test_a_quiz_file_with_a_typo_names_file_line_and_key(review, lessons):
    (lessons / "first" / "quiz.yaml").write_text(QUIZ.replace("explanation:", "explanaton:", 1), encoding="utf-8")
    result = review("review")
    assert result.exit_code == 2
    assert "quiz.yaml:2" in result.stderr
    assert "explanaton" in result.stderr


def test_a_damaged_line_of_the_log_is_named_and_the_rest_counts(review, home):
    with next((home / "log").glob("*.jsonl")).open("a") as file:
        file.write('{"id": "torn\n')
    result = review("review", "--list")
    assert "damaged and left out" in result.stderr
    assert "first  rung 1 of 5, due today" in result.stdout


def test_in_an_ascii_terminal_everything_is_there(review, monkeypatch):
    monkeypatch.setattr("grader.cli.screen._shows_unicode", lambda: False)
    assert review("review").stdout.isascii()


def test_the_list_as_json(review):
    assert json.loads(review("review", "--list", "--format", "json").stdout) == {
        "version": 1,
        "today": "2026-03-02",
        "lessons": [
            {
                "lesson": "first",
                "completed": "2026-03-01",
                "cycle": 1,
                "rung": 1,
                "due": "2026-03-02",
                "status": "due",
                "is_due": True,
                "taken": [],
                "missed": [],
            }
        ],
    }


def test_a_clock_that_is_a_month_back_means_practice_and_is_said(review, monkeypatch):
    review("review")
    monkeypatch.setenv("ANATOMY_NOW", "2026-02-01T12:00:00+01:00")
    result = review("review", "first", "--practice")
    assert "2026-02-01" in result.stderr
    assert "2026-03-02" in result.stderr
    assert "practice" in result.stdout


def test_the_last_verdict_stays_on_the_screen_with_the_summary(review, monkeypatch):
    monkeypatch.setattr("grader.cli.screen.at_terminal", lambda _stream: True)
    monkeypatch.setattr("click.clear", lambda: click.echo("<CLEARED>"))
    monkeypatch.setenv("TERM", "xterm")
    last = review("quiz", "first").stdout.rpartition("<CLEARED>")[2]
    assert "question 3 of 3" in last
    assert "Right." in last
    assert "first, practice: done." in last


def test_bytes_that_are_no_text_are_asked_for_again(review, runner, home):
    result = runner.invoke(main, ["quiz", "first"], input=b"\xff\xfe\n", catch_exceptions=False)
    assert "Type it once more" in result.stdout or "Which of these ideas" in result.stdout
    assert events(home, "answer") == []
