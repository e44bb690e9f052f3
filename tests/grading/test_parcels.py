"""Processes that grade parcels: the scores that grading alone gives, and each submission for itself."""

import json
import os
from concurrent.futures import BrokenExecutor
from dataclasses import replace

import pytest

from grader.batch.desk import NoDesk, grade_parcel
from grader.batch.fingerprint import fingerprint
from grader.batch.hands import LocalHands
from grader.batch.parcel import Parcel
from grader.course.load import load_course
from grader.options import Options
from grader.report import Report

COURSE = load_course()
LESSONS = ("objective", "normalization")
SUITE = fingerprint(COURSE, ["normalization"]).digest
EXERCISES = tuple(exercise.id for exercise in COURSE.lesson("normalization").exercises)


def parcel(name: str, text: str) -> Parcel:
    return Parcel((name,), {"normalization": text.encode()}, EXERCISES, LESSONS, Options(), SUITE)


@pytest.fixture
def parcels(answers, stubs):
    """Right, untouched, ending the process, and with a syntax error."""
    texts = {
        "right": answers["normalization"],
        "untouched": stubs["normalization"],
        "ends": answers["normalization"].replace("    wide = ", "    __import__('os')._exit(0)\n    wide = "),
        "broken": "def rms_norm(:\n",
    }
    return {name: parcel(name, text) for name, text in texts.items()}


@pytest.fixture(scope="module")
def hands():
    with LocalHands(LESSONS, jobs=2) as opened:
        yield opened


def graded(hands, parcel):
    [document] = hands.executor().submit(grade_parcel, parcel).result(timeout=120).reports
    return Report.from_dict(json.loads(document))


def test_two_processes_give_the_scores_that_grading_alone_gives(hands, parcels, desk):
    asked = {name: hands.executor().submit(grade_parcel, each) for name, each in parcels.items() for _ in range(2)}
    reports = {name: Report.from_dict(json.loads(each.result(timeout=120).reports[0])) for name, each in asked.items()}
    for name, each in parcels.items():
        alone = desk.grade(each.modules, "normalization")
        statuses = [exercise.status for exercise in reports[name].exercises]
        assert (reports[name].earned, statuses) == (alone.earned, [exercise.status for exercise in alone.exercises])
    assert reports["right"].earned == reports["right"].possible
    assert reports["untouched"].earned == reports["broken"].earned == 0
    assert reports["right"].submission == "right"


def test_a_process_that_holds_another_course_says_so_and_takes_no_points(hands, parcels):
    report = graded(hands, replace(parcels["right"], suite="another"))
    assert {exercise.status for exercise in report.exercises} == {"grader_fault"}
    assert "another version of the course" in report.exercises[0].message


def test_options_are_those_of_the_parcel(hands, parcels):
    secret = replace(parcels["right"], options=Options(seed=12345, held_out=True))
    report = graded(hands, secret)
    assert (report.seed, report.shown_seed, report.earned) == (12345, "held out", report.possible)
    assert graded(hands, parcels["right"]).seed == 1


def test_after_the_death_of_a_process_there_are_others(hands, parcels):
    assert graded(hands, parcels["right"]).earned
    with pytest.raises(BrokenExecutor):
        hands.executor().submit(os._exit, 1).result(timeout=60)
    hands.renew()
    assert graded(hands, parcels["right"]).earned


def test_a_session_that_cannot_be_opened_is_the_exception_of_each_future(parcels):
    with LocalHands(["no-such-lesson"], jobs=1) as hands:
        for each in list(parcels.values())[:2]:
            with pytest.raises(NoDesk, match="is missing"):
                hands.executor().submit(grade_parcel, each).result(timeout=60)
