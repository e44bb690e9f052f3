"""`anatomy check`: the course proves itself."""

from __future__ import annotations

import os
import time

import click

from grader.course.load import load_course
from grader.errors import UserError


@click.command()
@click.argument("lessons", nargs=-1, metavar="[LESSON]...")
@click.option("--seeds", type=click.IntRange(1), default=1, show_default=True, help="How many sets of random inputs.")
@click.option("--jobs", type=click.IntRange(1), default=None, help="Processes; by default one a core.")
def check(lessons: tuple[str, ...], seeds: int, jobs: int | None) -> None:
    """Prove the course against itself.

    Stubs score 0 and the reference scores 100 %; a constant or an identity earns nothing; every catalogued mistake is
    caught and named as itself; every right variation passes; every quiz question has one right answer with all numbers
    that it may draw. Of the whole course, also that a student's edition holds nothing hidden, and that its public
    checks tell right from nothing. Exit code 1 if any of this is not so.
    """
    course = load_course()
    slugs = [course.lesson(slug).slug for slug in lessons] or [lesson.slug for lesson in course.lessons]
    if not slugs:
        raise UserError("The course has no lessons; add one to lessons/course.yaml.")
    from grader.selfcheck.course import grade_the_reference, prove_lessons
    from grader.selfcheck.questions import DRAWS, lint_quizzes

    started = time.perf_counter()
    jobs = jobs or os.cpu_count() or 1
    problems, tests = grade_the_reference(slugs, seed=1)
    proofs = list(prove_lessons(slugs, range(1, seeds + 1), jobs))
    for proof in sorted(proofs, key=lambda proof: slugs.index(proof.slug)):
        click.echo(
            f"{proof.slug:<16} {proof.exercises} exercises, {proof.misconceptions} misconceptions, "
            f"{proof.variations} right variations, {proof.seeds} seeds: "
            + ("all as promised" if not proof.problems else f"{len(proof.problems)} problems")
        )
        problems += proof.problems
    for problem in problems:
        click.echo(f"  {problem.exercise}, seed {problem.seed}: {problem.says}")
    questions, mistakes = lint_quizzes(slugs, jobs)
    click.echo(
        f"{questions} quiz questions, {DRAWS} draws of each: "
        + ("all as promised" if not mistakes else f"{len(mistakes)} problems")
    )
    for mistake in mistakes:
        click.echo(f"  {mistake}")
    leaks = () if lessons else _prove_bundle()
    seconds = time.perf_counter() - started
    click.echo(f"{tests} tests; {len(problems) + len(mistakes) + len(leaks)} problems; {seconds:.0f} s.")
    click.get_current_context().exit(1 if problems or mistakes or leaks else 0)


def _prove_bundle() -> tuple[str, ...]:
    """Make a student's edition and say what is wrong with it."""
    from grader.selfcheck.bundle import prove_bundle

    proof = prove_bundle()
    found = f"{len(proof.problems)} problems" if proof.problems else "nothing hidden in it, all as promised"
    click.echo(f"the student's edition, {proof.tests} public checks: {found}")
    for problem in proof.problems:
        click.echo(f"  {problem}")
    return proof.problems
