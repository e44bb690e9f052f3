"""JUnit XML of a class: one document with a suite for each exercise of each student."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from xml.etree import ElementTree as ET

from grader.export.cells import number
from grader.export.marks import graded
from grader.gradebook.standing import Standing
from grader.render import junit
from grader.render.junit import clean


def student_junit(standing: Standing) -> str:
    """The document of one student, who is named in it by id."""
    root = _suites(standing)
    root.set("name", clean(standing.student.id))
    return _HEAD + ET.tostring(root, encoding="unicode") + "\n"


def class_junit(standings: Iterable[Standing], title: str) -> Iterator[str]:
    """The document in pieces, a student at a time. A suite is named `<student>: <exercise>`."""
    yield f"{_HEAD}<testsuites name={_quoted(clean(title))}>\n"
    for standing in standings:
        for suite in _suites(standing):
            suite.set("name", f"{clean(standing.student.id)}: {suite.get('name')}")
            yield ET.tostring(suite, encoding="unicode").rstrip() + "\n"
    yield "</testsuites>\n"


_HEAD = '<?xml version="1.0" encoding="UTF-8"?>\n'


def _suites(standing: Standing) -> ET.Element:
    """The student's document with what counts in the properties of each suite, since JUnit knows no points."""
    # What is parsed here was written a line above; XML by others is never read.
    root = ET.fromstring(junit.render(standing.report))
    final = number(standing.final) if graded(standing) else ""
    counts = {"student": standing.student.id, "final": final, "final_possible": str(standing.possible)}
    if standing.late.seconds is not None:
        counts["late_seconds"] = str(standing.late.seconds)
    for box in root.iterfind("testsuite/properties"):
        for name, value in counts.items():
            ET.SubElement(box, "property", name=name, value=clean(value))
    ET.indent(root)
    return root


def _quoted(text: str) -> str:
    element = ET.Element("a", name=text)
    return ET.tostring(element, encoding="unicode").removeprefix("<a name=").removesuffix(" />")
