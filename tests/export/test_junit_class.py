"""JUnit XML of a class and of each student."""

from xml.etree import ElementTree as ET

from export.made import EXERCISES, HOSTILE, fault, late, report, standing

from grader.export.junit import class_junit, student_junit


def parsed(standings, title="Norms"):
    return ET.fromstring("".join(class_junit(standings, title)).encode("utf-8"))


def properties(suite) -> dict[str, str]:
    return {box.get("name"): box.get("value") for box in suite.find("properties")}


def test_a_class_is_one_document_with_a_suite_for_each_exercise_of_each_student():
    root = parsed([standing("ada"), late(standing("ben"), 60, "0.5")])
    assert root.tag == "testsuites"
    assert [suite.get("name") for suite in root] == [f"{id_}: {each}" for id_ in ("ada", "ben") for each in EXERCISES]
    found = properties(root[3])
    assert (found["student"], found["earned"], found["possible"]) == ("ben", "4", "10")
    assert (found["final"], found["final_possible"], found["late_seconds"]) == ("7", "20", "60")


def test_a_fault_is_an_error_and_leaves_what_counts_open():
    suite = parsed([fault("ada")])[1]
    assert suite.get("errors") == "1"
    assert properties(suite)["final"] == ""


def test_hostile_names_and_messages_stay_text():
    root = parsed([standing(text, text, report=report(hostile=text)) for text in HOSTILE], title='<"&\n\x1b>')
    assert len(root) == 2 * len(HOSTILE)
    assert root.get("name") == '<"&\n\ufffd>'
    for text in HOSTILE:
        assert len(ET.fromstring(student_junit(standing(text)).encode("utf-8"))) == 2
