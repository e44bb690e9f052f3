"""The state that open pages ask for: which lessons are being graded, and what came of it."""

from grader.report import ExerciseResult, Report
from grader.site.serve.live import Live

REPORT = Report("x", 1, (), (ExerciseResult("first.double", "passed", 10, 10),))


def test_at_first_nothing_is_there():
    assert Live().state() == {"version": 0, "grading": [], "lessons": {}, "fault": None, "says": ""}


def test_a_grading_is_told_while_it_runs_and_when_it_is_done():
    live = Live()
    live.begin("first")
    assert live.state()["grading"] == ["first"]
    live.finish("first", REPORT, ["a remark"])
    state = live.state()
    assert (state["version"], state["grading"], state["lessons"]) == (2, [], {"first": 2})
    assert state["says"] == "Graded first at 12:00:00: 10 of 10 points."
    assert live.lesson("first").remarks == ("a remark",)


def test_lessons_that_nobody_saved_are_told_together():
    live = Live()
    live.finish("first", REPORT, saved=False)
    live.finish("second", REPORT, saved=False)
    assert live.state()["says"] == "Graded 2 lessons at 12:00:00: 20 of 20 points."


def test_what_was_saved_is_told_until_something_else_is_saved():
    live = Live()
    live.finish("first", REPORT)
    live.finish("second", REPORT, saved=False)
    assert live.state()["says"] == "Graded first at 12:00:00: 10 of 10 points."


def test_only_lessons_newer_than_the_version_that_is_known_are_told():
    live = Live()
    live.finish("first", REPORT)
    seen = live.version
    live.finish("second", REPORT)
    assert live.state(seen)["lessons"] == {"second": 2}
    assert live.state(live.version)["lessons"] == {}


def test_a_lesson_that_was_saved_meanwhile_stays_under_way():
    live = Live()
    live.begin("first")
    live.finish("first", REPORT, again=True)
    assert live.is_under_way("first")


def test_faults_of_several_sources_stand_until_each_is_mended():
    live = Live()
    live.fault("desk", "One.")
    live.fault("folder", "Two.")
    assert live.state()["fault"] == "One. Two."
    live.fault("desk", None)
    assert live.state()["fault"] == "Two."


def test_the_same_fault_once_more_is_no_news():
    live = Live()
    live.fault("desk", "One.")
    seen = live.version
    live.fault("desk", "One.")
    live.fault("folder", None)
    assert live.version == seen


def test_a_grading_that_is_given_up_is_no_longer_under_way():
    live = Live()
    live.begin("first")
    live.give_up("first")
    assert live.state()["grading"] == []
