"""The record of a grading, and the formats that are rendered from it."""

import json
from xml.etree import ElementTree as ET

import click
import pytest

from grader.course.load import load_course
from grader.render import html, junit, text
from grader.report import ExerciseResult, Report, TestResult, share

COURSE = load_course()


def result(name: str, status: str, earned: int = 0, **more) -> ExerciseResult:
    tests = (
        TestResult("small_rows", "passed" if earned else "failed", earned, 6, "", 0.001),
        TestResult("gradient", "failed", 0, 4, "All 6 values differ.", 0.002),
    )
    return ExerciseResult(f"normalization.{name}", status, earned, 10, tests=tests, **more)


REPORT = Report(
    "ada",
    7,
    ("process-split",),
    (
        result(
            "layer_norm", "partial", 6, message="eps <inside>", evidence="with\n  x = [1]", section="lessons/x.md#eps"
        ),
        result("rms_norm", "inherited", 10, inherits="normalization.standardize", message="This function is right."),
        ExerciseResult("normalization.standardize", "not_started", 0, 10),
    ),
)


def test_it_survives_json_both_ways():
    assert Report.from_dict(json.loads(REPORT.to_json())) == REPORT


def test_the_document_has_the_published_names():
    document = json.loads(REPORT.to_json())
    assert set(document) >= {"version", "submission", "seed", "layers", "earned", "possible", "exercises"}
    assert (document["version"], document["earned"], document["possible"]) == (1, 16, 30)
    exercise = document["exercises"][0]
    assert set(exercise) >= {"id", "status", "earned", "possible", "misconception", "message", "inherits", "tests"}
    assert set(exercise["tests"][0]) == {"name", "status", "earned", "possible", "message", "seconds"}


@pytest.mark.parametrize("broken", [{}, {"version": 2}, {"version": 1, "submission": "a"}])
def test_a_foreign_document_is_refused(broken):
    with pytest.raises(ValueError, match="report"):
        Report.from_dict(broken)


@pytest.mark.parametrize(
    ("statuses", "code"),
    [
        (["passed", "inherited"], 0),
        (["passed", "partial"], 1),
        (["not_started"], 1),
        (["passed", "grader_fault"], 3),
    ],
)
def test_the_exit_code_follows_the_outcomes(statuses, code):
    exercises = tuple(ExerciseResult(f"a.f{i}", status, 0, 1) for i, status in enumerate(statuses))
    assert Report("s", 1, (), exercises).exit_code == code


@pytest.mark.parametrize(
    ("points", "weights", "expected"),
    [
        (12, [2, 1, 1], [6, 3, 3]),
        (3, [5, 1, 1], [1, 1, 1]),
        (2, [1, 1, 1], [1, 1, 0]),
        (7, [1], [7]),
        (5, [], []),
    ],
)
def test_points_are_whole_and_add_up(points, weights, expected):
    assert share(points, weights) == expected


def test_the_text_names_what_is_wrong_where_to_read_and_what_to_do_next():
    page = text.render(REPORT, COURSE)
    for part in ("eps <inside>", "  x = [1]", "read: lessons/x.md#eps", "6/10", "16 of 30 points", "anatomy hint"):
        assert part in page
    assert "failing tests: gradient" in page


def test_the_text_is_plain_ascii_when_the_submission_is():
    assert text.render(REPORT, COURSE).replace("\x1b", "").isascii()


def test_what_is_wrong_with_a_file_is_said_once():
    problem = "student/normalization.py, line 3: expected ':'\n    def f(x)\n            ^"
    broken = tuple(
        ExerciseResult(f"normalization.{name}", "error", 0, 12, message=problem) for name in ("layer_norm", "rms_norm")
    )
    page = click.unstyle(text.render(Report("s", 1, (), broken, (problem,)), COURSE))
    assert page.count("expected ':'") == 1
    assert page.count("could not be run (see above)") == 2


def test_of_many_failing_tests_the_first_are_named():
    tests = tuple(TestResult(f"test{i}", "failed", 0, 1, "", 0.1) for i in range(9))
    report = Report("s", 1, (), (ExerciseResult("normalization.rms_norm", "partial", 1, 12, tests=tests),))
    assert "failing tests: test0, test1, test2, test3 and 5 more of 9" in text.render(report, COURSE)


def test_sentences_fit_a_narrow_terminal():
    report = Report("s", 1, ("process-split",), (result("layer_norm", "partial", 6, message="word " * 40),))
    assert max(map(len, click.unstyle(text.render(report, COURSE, width=60)).splitlines())) <= 60


def test_someone_who_has_done_nothing_is_told_how_to_begin():
    report = Report("s", 1, (), (ExerciseResult("normalization.layer_norm", "not_started", 0, 10),))
    page = text.render(report, COURSE)
    for part in ("0 of 10 points", "lessons/normalization/lesson.md", "student/normalization.py", "anatomy grade"):
        assert part in page


def test_html_escapes_whatever_came_from_a_submission():
    hostile = Report("<script>x</script>", 1, (), (result("layer_norm", "failed", message="<img src=x onerror=y>"),))
    page = html.render(hostile, COURSE)
    assert "<script>" not in page
    assert "<img" not in page
    assert "&lt;img src=x" in page


def test_junit_is_valid_xml_with_points_as_properties():
    nasty = Report("s", 1, (), (result("layer_norm", "failed", message="bell \x07 and \ud800 and <tag>"),))
    root = ET.fromstring(junit.render(nasty))
    suite = root.find("testsuite")
    assert suite.get("name") == "normalization.layer_norm"
    assert suite.find("testcase/failure") is not None
    properties = {p.get("name"): p.get("value") for p in suite.find("properties")}
    assert properties["possible"] == "10"


def test_junit_counts_an_inherited_exercise_as_passed():
    root = ET.fromstring(junit.render(REPORT))
    inherited = root.findall("testsuite")[1]
    assert inherited.get("failures") == "0"
    assert inherited.find("testcase/failure") is None
