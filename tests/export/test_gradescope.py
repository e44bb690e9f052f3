"""results.json of one submission, checked against Gradescope's own description of it."""

from dataclasses import replace

import pytest
from export.importers import check_results
from export.made import EXERCISES, HOSTILE, by_hand, fault, late, report, standing

from grader.export.gradescope import VISIBILITIES, results, to_json, without_modules, without_score


def checked(*arguments, **options) -> dict:
    return check_results(to_json(results(*arguments, **options)))


def test_a_report_is_a_test_an_exercise_with_points_and_what_is_wrong():
    document = checked(report(), seconds=3.14159)
    assert (document["score"], document["execution_time"]) == (14, 3.142)
    passed, partial = document["tests"]
    assert passed == {
        "name": EXERCISES[0],
        "score": 10,
        "max_score": 10,
        "status": "passed",
        "output": "passed",
        "output_format": "text",
        "visibility": "visible",
    }
    assert (partial["score"], partial["status"]) == (4, "failed")
    for part in ("The gain is missing.", "expected: 2.0", "Failing tests: test_gain", "lesson.md#gain"):
        assert part in partial["output"]


@pytest.mark.parametrize("visibility", VISIBILITIES)
def test_who_sees_it_when_is_for_the_instructor_to_say(visibility):
    document = checked(report(), visibility=visibility, stdout_visibility=visibility)
    assert {
        document["visibility"],
        document["stdout_visibility"],
        *(test["visibility"] for test in document["tests"]),
    } == {visibility}


def test_of_a_standing_the_score_is_what_counts_and_why_is_said():
    document = checked(late(standing("a"), 60, "0.5"))
    assert document["score"] == 7
    assert "60 seconds late" in document["output"]
    one = checked(by_hand(standing("a"), "9.5", EXERCISES[1], "Our test was wrong."))
    assert one["tests"][1]["score"] == 9.5
    assert "set by hand by T. Teacher: 9.5." in one["tests"][1]["output"]
    assert "Our test was wrong" not in str(one)  # the reason is for whoever keeps the book


def test_a_held_out_seed_is_never_shown():
    shown, hidden = checked(report()), checked(replace(report(), held_out=True))
    assert "12345" in str(shown)
    assert "12345" not in str(hidden)
    assert hidden["extra_data"]["seed"] == "held out"


def test_expected_values_are_shown_only_where_the_report_shows_them():
    closed = report()
    second = replace(closed.exercises[1], evidence="yours:    1.0\nexpected: not shown in this run")
    assert "2.0" not in str(checked(replace(closed, exercises=(closed.exercises[0], second)))["tests"])


def test_a_fault_of_the_graders_own_is_no_score_anywhere_and_a_sentence():
    for broken in (fault("a"), fault("a").report):
        document = checked(broken)
        assert "score" not in document
        assert "tests" not in document
        assert "No points were lost" in document["output"]
    assert checked(by_hand(fault("a"), "16"))["score"] == 16
    assert checked(by_hand(fault("a"), "16", EXERCISES[1]))["score"] == 16


def test_nothing_handed_in_is_a_score_of_zero_and_a_sentence():
    assert check_results(to_json(without_modules("There is nothing.")))["score"] == 0
    assert "score" not in check_results(to_json(without_score("It failed.")))


@pytest.mark.parametrize("text", HOSTILE)
def test_what_a_student_wrote_is_text_and_commands_nothing(text):
    document = checked(replace(report(hostile=text * 3), problems=(text,), submission=text))
    assert all(test["output_format"] == "text" for test in document["tests"])


def test_one_output_cannot_flood_the_page():
    assert len(checked(report(hostile="x" * 100_000))["tests"][1]["output"]) < 21_000
