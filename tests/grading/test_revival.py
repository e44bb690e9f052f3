"""A zygote that dies, for whatever reason, costs time and nothing else: the test that was running is run once more."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

PROGRAM = """
import json, os, signal, sys, time
from grader.course.load import load_course
from grader.places import reference_folder
from grader.sandbox import Zygote, ZygoteDied

plan = json.loads(sys.argv[1])  # how often the zygote is to die, by test
with Zygote() as zygote:
    from grader.grading import Grader
    from grader.session import Suites, with_suites
    from grader.workspace import read_submission

    run = Suites.run
    def disturbed(self, test, examination, seed):
        if plan.get(test.name, 0) > 0:
            plan[test.name] -= 1
            zygote.wait_until_ready()
            os.kill(zygote.pid, signal.SIGKILL)
            while zygote.alive:  # until then its workers may still answer
                time.sleep(0.01)
        return run(self, test, examination, seed)
    Suites.run = disturbed

    course = load_course()
    def body(suites):
        grader = Grader(course, suites, zygote)
        submission = read_submission(reference_folder(), course)
        try:
            report = grader.grade(submission, course.resolve("normalization"))
        except ZygoteDied as error:
            print(json.dumps({"died": str(error)}))
            return 0
        print(json.dumps({"report": report.to_dict(), "generation": zygote.generation}, default=list))
        return 0
    with_suites(["normalization"], body)
"""


def grade(plan: dict[str, int]) -> dict[str, Any]:
    """Grade the reference while the zygote dies as planned."""
    command = [sys.executable, "-c", PROGRAM, json.dumps(plan)]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def results_by_name(found: dict[str, Any]) -> dict[tuple[str, str], dict[str, Any]]:
    """Every test of a report."""
    exercises = found["report"]["exercises"]
    return {(exercise["id"], test["name"]): test for exercise in exercises for test in exercise["tests"]}


def test_the_test_that_was_running_is_repeated_and_nothing_is_lost() -> None:
    found = grade({"any_leading_axes": 1})
    assert found["generation"] > 1
    assert found["report"]["earned"] == found["report"]["possible"]
    assert {test["status"] for test in results_by_name(found).values()} == {"passed"}


def test_a_second_death_in_one_test_is_the_graders_fault_and_the_other_tests_are_judged() -> None:
    tests = results_by_name(grade({"small_rows": 2}))
    faults = {name for name, test in tests.items() if test["status"] == "grader_fault"}
    assert {name for _, name in faults} == {"small_rows"}
    assert all("ended twice" in tests[name]["message"] for name in faults)
    assert {test["status"] for name, test in tests.items() if name not in faults} == {"passed"}


def test_a_machine_on_which_it_dies_again_and_again_is_given_up() -> None:
    found = grade({"small_rows": 99, "default_eps": 99, "any_leading_axes": 99})
    assert "ended 5 times" in found["died"]
