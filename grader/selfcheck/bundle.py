"""The student's bundle against the course: nothing hidden is in it, and its checks tell right from nothing."""

from __future__ import annotations

import multiprocessing
import tempfile
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from grader.course.load import load_course
from grader.errors import GraderFault
from grader.grading import reference_function
from grader.options import DEFAULT_SEED
from grader.places import engine_folder
from grader.release.bundle import release
from grader.selfcheck.exercise import Problem, prove_public
from grader.session import Suites, with_suites


@dataclass(frozen=True)
class BundleProof:
    """What was proved of a bundle. tests: public ones; problems: a sentence each."""

    tests: int
    problems: tuple[str, ...]


def prove_bundle() -> BundleProof:
    """Make a bundle in a temporary folder, look for what is hidden in it, and sit its tests."""
    with tempfile.TemporaryDirectory() as folder:
        bundle = Path(folder) / "bundle"
        # Making it and sitting it are a session of suites each, and a process can hold but one.
        with ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), max_tasks_per_child=1) as pool:
            tests, problem = pool.submit(_made, bundle).result()
            if problem:
                return BundleProof(tests, (problem,))
            return BundleProof(tests, tuple(pool.submit(_sat, bundle).result()))


def public_problems(bundle: Path) -> list[Problem]:
    """What is wrong with the public tests of a bundle: the reference must pass, what computes nothing earns nothing.

    One session of the suites; a process can hold but one.
    """
    course = load_course()
    problems: list[Problem] = []

    def body(suites: Suites) -> int:
        for exercise in course.exercises:
            problems.extend(prove_public(exercise, suites, reference_function(exercise), DEFAULT_SEED))
        return 0

    with_suites([lesson.slug for lesson in course.lessons], body, bundle / engine_folder().name / "suites")
    return problems


def _made(bundle: Path) -> tuple[int, str]:
    try:
        return release(bundle, load_course()).tests, ""
    except GraderFault as fault:
        return 0, str(fault)


def _sat(bundle: Path) -> list[str]:
    return [f"{problem.exercise}, public tests: {problem.says}" for problem in public_problems(bundle)]
