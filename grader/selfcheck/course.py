"""Running the proofs of whole lessons, shared out over processes."""

from __future__ import annotations

import importlib
import multiprocessing
from collections.abc import Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field

from grader.course.headings import headings
from grader.course.load import load_course
from grader.course.model import Lesson
from grader.course.stubs import stub_source
from grader.grading import Grader, flawed_function, reference_function
from grader.judge.source import parse_submission
from grader.options import Options
from grader.places import reference_folder
from grader.sandbox import Zygote
from grader.selfcheck.exercise import Problem, prove
from grader.session import Suites, with_suites
from grader.workspace import read_submission


@dataclass
class LessonProof:
    """What was proved of a lesson and what was not."""

    slug: str
    exercises: int = 0
    tests: int = 0
    misconceptions: int = 0
    variations: int = 0
    seeds: int = 0
    problems: list[Problem] = field(default_factory=list)

    def add(self, problems: Sequence[Problem]) -> None:
        """Join what one more seed showed."""
        self.seeds += 1
        self.problems += problems


def prove_lessons(slugs: Sequence[str], seeds: Sequence[int], jobs: int) -> Iterator[LessonProof]:
    """Prove each lesson with each seed; a lesson's proof comes when its last seed is done."""
    course = load_course()
    parts = [(slug, seed) for seed in seeds for slug in slugs]
    hands = [parts[i::jobs] for i in range(min(jobs, len(parts)))]
    proofs = {slug: _facts(course.lesson(slug)) for slug in slugs}
    with ProcessPoolExecutor(jobs, multiprocessing.get_context("spawn")) as pool:
        for done in as_completed([pool.submit(_prove_parts, hand) for hand in hands]):
            for slug, problems in done.result():
                proofs[slug].add(problems)
                if proofs[slug].seeds == len(seeds):
                    yield proofs[slug]


def _facts(lesson: Lesson) -> LessonProof:
    """What can be counted and checked without running a suite."""
    proof = LessonProof(lesson.slug, exercises=len(lesson.exercises))
    anchors = {heading.anchor for heading in headings(lesson.page.read_text(encoding="utf-8"))}
    proof.variations = len(importlib.import_module(f"grader.variations.{lesson.slug}").variations.all)
    student = parse_submission({lesson.slug: stub_source(lesson)})
    for exercise in lesson.exercises:
        flawed = flawed_function(exercise)
        for misconception in flawed.misconceptions if flawed else ():
            proof.misconceptions += 1
            if misconception.section not in anchors:
                says = f"{misconception.name} points to #{misconception.section}, which lesson.md does not have"
                proof.problems.append(Problem(exercise.id, 0, says))
            for other in misconception.same_as:
                assert flawed is not None
                if misconception.name not in flawed.named(other).same_as:
                    says = f"{misconception.name} says it is the same as {other}, which does not say so"
                    proof.problems.append(Problem(exercise.id, 0, says))
        if not student.definition(lesson.slug, exercise.name).is_stub:
            proof.problems.append(Problem(exercise.id, 0, "its stub does not read as not started"))
    return proof


def _prove_parts(parts: Sequence[tuple[str, int]]) -> list[tuple[str, list[Problem]]]:
    """Lessons with a seed each, in a process of its own: pytest allows one session a process."""
    course = load_course()
    proved: list[tuple[str, list[Problem]]] = []

    def body(suites: Suites) -> int:
        for slug, seed in parts:
            variations = importlib.import_module(f"grader.variations.{slug}").variations
            problems: list[Problem] = []
            for exercise in course.lesson(slug).exercises:
                right, flawed = reference_function(exercise), flawed_function(exercise)
                problems += prove(exercise, suites, right, flawed, variations.of(exercise.name), seed)
            proved.append((slug, problems))
        return 0

    with_suites(list(dict.fromkeys(slug for slug, _ in parts)), body)
    return proved


def grade_the_reference(slugs: Sequence[str], seed: int) -> tuple[list[Problem], int]:
    """Grade the reference through the sandbox as if it were handed in; everything must pass. Also counts the tests."""
    course = load_course()
    exercises = [exercise for slug in slugs for exercise in course.lesson(slug).exercises]
    problems: list[Problem] = []
    tests = 0
    with Zygote() as zygote:

        def body(suites: Suites) -> int:
            nonlocal tests
            tests = sum(len(suites.tests(exercise.id)) for exercise in exercises)
            grader = Grader(course, suites, zygote, Options(seed=seed))
            report = grader.grade(read_submission(reference_folder(), course), exercises)
            problems.extend(
                Problem(result.id, seed, f"the reference as a submission: {result.status}: {result.message}")
                for result in report.exercises
                if result.status != "passed"
            )
            return 0

        with_suites(slugs, body)
    return problems, tests
