"""A zygote that dies, for whatever reason, costs time and nothing else: the test that was running is run once more."""

from __future__ import annotations

import json
from typing import Any

import pytest
from nightly import NIGHTLY
from warm import WarmPython

from grader.revival import MOST

Outcomes = list[dict[str, Any]]
PROGRAM = """
import json, os, signal, sys, time
from grader.course.load import load_course
from grader.places import reference_folder
from grader.sandbox import Zygote, ZygoteDied

plan = {}  # how often the zygote is to die, by test
with Zygote() as zygote:
    from grader import revival
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
    revival.MOST = int(sys.argv[2])

    course = load_course()
    def outcome(suites):
        before = zygote.generation
        try:
            report = Grader(course, suites, zygote).grade(submission, course.resolve("normalization"))
        except ZygoteDied as error:
            return {"died": str(error)}
        return {"report": report.to_dict(), "restarts": zygote.generation - before}
    def body(suites):
        for planned in json.loads(sys.argv[1]):
            plan.clear()
            plan.update(planned)
            print(json.dumps(outcome(suites), default=list))
        return 0
    submission = read_submission(reference_folder(), course)
    with_suites(["normalization"], body)
"""

MOST_DEATHS = MOST if NIGHTLY else 2
"""That are borne: each costs two seconds."""
PLANS = ({"any_leading_axes": 1}, {"small_rows": 2}, {"small_rows": 99, "default_eps": 99, "any_leading_axes": 99})


@pytest.fixture(scope="module")
def outcomes(warm_python: WarmPython) -> Outcomes:
    """The reference graded while the zygote dies as planned. One process for all: each zygote has torch to import."""
    done = warm_python.run("-c", PROGRAM, json.dumps(PLANS), str(MOST_DEATHS))
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def results_by_name(found: dict[str, Any]) -> dict[tuple[str, str], dict[str, Any]]:
    """Every test of a report."""
    exercises = found["report"]["exercises"]
    return {(exercise["id"], test["name"]): test for exercise in exercises for test in exercise["tests"]}


def test_the_test_that_was_running_is_repeated_and_nothing_is_lost(outcomes: Outcomes) -> None:
    found = outcomes[0]
    assert found["restarts"] > 0
    assert found["report"]["earned"] == found["report"]["possible"]
    assert {test["status"] for test in results_by_name(found).values()} == {"passed"}


def test_a_second_death_in_one_test_is_the_graders_fault_and_the_other_tests_are_judged(outcomes: Outcomes) -> None:
    tests = results_by_name(outcomes[1])
    faults = {name for name, test in tests.items() if test["status"] == "grader_fault"}
    assert {name for _, name in faults} == {"small_rows"}
    assert all("ended twice" in tests[name]["message"] for name in faults)
    assert {test["status"] for name, test in tests.items() if name not in faults} == {"passed"}


def test_a_machine_on_which_it_dies_again_and_again_is_given_up(outcomes: Outcomes) -> None:
    assert f"ended {MOST_DEATHS + 1} times" in outcomes[2]["died"]
