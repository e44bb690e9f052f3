"""A learner's records: read anew when somebody wrote, written with the day that counts, silent about what is wrong."""

from datetime import date
from pathlib import Path

import pytest

from grader.course.model import Course
from grader.records import clock
from grader.records.kinds import COMPLETE, GRADING
from grader.records.log import Log, LogUnwritable
from grader.report import ExerciseResult, Report, Status
from grader.review.graded import record_grading
from grader.review.learner import LearnerRecords


@pytest.fixture
def records(home: Path) -> LearnerRecords:
    return LearnerRecords(Log(home))


def graded(*results: tuple[str, Status]) -> Report:
    return Report("work", 7, (), tuple(ExerciseResult(id_, status, 1, 1) for id_, status in results))


def test_what_is_known_is_read_once_as_long_as_nobody_writes(records: LearnerRecords, made_course: Course) -> None:
    before = records.known(made_course)
    assert records.known(made_course) is before
    Log(records.log.home).append(COMPLETE, {"lesson": "first"}, clock.now())
    after = records.known(made_course)
    assert after is not before
    assert after.reviews.lessons["first"].anchor == date(2026, 3, 1)


def test_an_event_is_of_the_study_day_that_the_log_has_reached(
    records: LearnerRecords, made_course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    records.record(COMPLETE, {"lesson": "first"}, records.known(made_course).reviews)
    monkeypatch.setenv("ANATOMY_NOW", "2026-02-28T23:00:00-08:00")  # after a flight to the west
    event = records.record(COMPLETE, {"lesson": "second"}, records.known(made_course).reviews)
    assert event.study_day == date(2026, 3, 1)


def test_damage_and_a_wrong_clock_are_returned(
    records: LearnerRecords, made_course: Course, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    records.record(COMPLETE, {"lesson": "first"}, records.known(made_course).reviews)
    with records.log.files()[0].open("a") as file:
        file.write('{"id": "torn\n')
    monkeypatch.setenv("ANATOMY_NOW", "2026-01-01T12:00:00+01:00")
    known = records.known(made_course)
    assert len(known.damage) == 1
    assert known.today.practice_only
    assert capsys.readouterr() == ("", "")


def test_numbers_are_drawn_for_the_machine_on_which_the_log_began(records: LearnerRecords, made_course: Course) -> None:
    name = records.name(records.known(made_course).reviews)
    event = records.record(COMPLETE, {"lesson": "first"}, records.known(made_course).reviews)
    assert event.device == name == records.name(records.known(made_course).reviews)


def test_a_grading_that_completes_a_lesson_says_so_once(records: LearnerRecords, made_course: Course) -> None:
    assert record_grading(made_course, graded(("first.double", "passed")), records) == ()
    assert record_grading(made_course, graded(("first.shared", "passed")), records) == ("first",)
    assert record_grading(made_course, graded(("first.shared", "passed")), records) == ()
    assert [event.type for event in records.known(made_course).events] == [GRADING] * 3


def test_a_grading_that_cannot_be_recorded_is_said_to_its_caller(
    records: LearnerRecords, made_course: Course, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(_tail: object, _text: str) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("grader.records.files.Tail.add", full)
    with pytest.raises(LogUnwritable, match="No space left"):
        record_grading(made_course, graded(("first.double", "passed")), records)
