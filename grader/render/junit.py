"""A report as JUnit XML. JUnit knows no points, so they stand in each test case's properties."""

from __future__ import annotations

import re
from xml.etree import ElementTree as ET

from grader.render.text import verdict
from grader.report import ExerciseResult, Report, TestResult, WrittenReport

_NOT_XML = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def clean(text: str) -> str:
    """Text without the characters that XML 1.0 forbids."""
    return _NOT_XML.sub("\ufffd", text)


def render(report: Report) -> str:
    """One test suite an exercise, one test case a test."""
    root = ET.Element("testsuites", name=clean(report.submission))
    protection = {"seed": report.shown_seed, "level": report.level or "", "layers": " ".join(report.layers)}
    for exercise in report.exercises:
        cases = list(exercise.tests) or [_whole(exercise)]
        broken = [test for test in cases if test.status not in ("passed", "inherited")]
        errors = [test for test in broken if test.status == "grader_fault"]
        suite = ET.SubElement(
            root,
            "testsuite",
            name=exercise.id,
            tests=str(len(cases)),
            failures="0" if exercise.fine else str(len(broken) - len(errors)),
            errors=str(len(errors)),
            time=f"{sum(test.seconds for test in cases):.6f}",
        )
        points = {"earned": exercise.earned, "possible": exercise.possible}
        _properties(suite, status=exercise.status, verdict=verdict(exercise), **points, **protection)
        for test in cases:
            _case(suite, exercise, test)
    if report.lab_report is not None:
        _lab_report(root, report.lab_report)
    ET.indent(root)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ET.tostring(root, encoding="unicode") + "\n"


def _lab_report(root: ET.Element, written: WrittenReport) -> None:
    failures = "0" if written.fine else "1"
    suite = ET.SubElement(root, "testsuite", name="lab.report", tests="1", failures=failures, errors="0", time="0")
    case = ET.SubElement(suite, "testcase", classname="lab.report", name="every number stands in a record", time="0")
    if not written.fine:
        problem = ET.SubElement(case, "failure", type="failed", message=clean(written.problems[0]))
        problem.text = clean("\n".join(written.problems))


def _case(suite: ET.Element, exercise: ExerciseResult, test: TestResult) -> None:
    case = ET.SubElement(suite, "testcase", classname=exercise.id, name=test.name, time=f"{test.seconds:.6f}")
    # A test that passed and is not paid has a message that says why.
    why = {"unpaid": test.message} if test.status == "passed" and test.message and test.earned < test.possible else {}
    _properties(case, earned=test.earned, possible=test.possible, **why)
    if test.status == "passed" or exercise.fine:
        return
    kind = "error" if test.status == "grader_fault" else "failure"
    summary = clean(exercise.message or test.message)
    problem = ET.SubElement(case, kind, type=test.status, message=summary)
    problem.text = clean("\n".join(part for part in (test.message, exercise.evidence) if part))


def _properties(parent: ET.Element, **values: object) -> None:
    box = ET.SubElement(parent, "properties")
    for name, value in values.items():
        ET.SubElement(box, "property", name=name, value=clean(str(value)))


def _whole(exercise: ExerciseResult) -> TestResult:
    return TestResult("exercise", exercise.status, exercise.earned, exercise.possible, exercise.message, 0.0)
