"""`anatomy run`: the course's trained model on the learner's own functions."""

from __future__ import annotations

from pathlib import Path

import click

from grader.cli.output import format_option, print_json, terminal_width
from grader.cli.weak import warn_if_weak
from grader.course.load import load_course
from grader.errors import GraderFault
from grader.places import cache_folder
from grader.sandbox import ForkFailed, NoTorch, WorkerFailed, Zygote, ZygoteDied
from grader.workspace import find_workspace, module_folder, read_submission

WIDTH = 100


@click.command()
@click.argument("prompt", default="the cat")
@click.option("--student", type=click.Path(path_type=Path), metavar="DIR", help="Run on the modules in this folder.")
@click.option("--tokens", "most", type=click.IntRange(min=1), metavar="N", help="At most N new ones.")
@click.option(
    "--temperature",
    type=click.FloatRange(min=0),
    default=0.0,
    show_default=True,
    help="Draw the tokens; 0 takes the most probable one.",
)
@click.option("--top-k", type=click.IntRange(min=1), help="Draw from the k most probable tokens.")
@click.option("--top-p", type=click.FloatRange(min=0, max=1, min_open=True), help="Draw from the mass p.")
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True, help="Of what is drawn.")
@format_option
def run(
    prompt: str, student: Path | None, most: int | None, temperature: float, top_k: int | None, top_p: float | None,
    seed: int, format_: str,
) -> None:  # fmt: skip
    """Let the course's trained model go on from PROMPT, computed by your functions.

    The text is compared with the reference's, token by token; where the numbers part you are told the block, the stage
    and the exercise. Exit code 0 if everything is the same, 1 if not.
    """
    course = load_course()
    folder = module_folder(student, course) if student else find_workspace(Path.cwd(), course).student_dir
    submission = read_submission(folder, course)
    try:
        with Zygote() as zygote:  # first, so that it imports torch while this process does
            from grader.capstone.model import load
            from grader.run.generation import Sampling
            from grader.run.performance import perform
            from grader.sandbox.proof import protection_of

            warn_if_weak(protection_of(zygote, cache_folder()))
            sampling = Sampling(temperature, top_k, top_p, seed)
            performance = perform(course, submission, zygote, load(), prompt, most, sampling)
    except (ZygoteDied, ForkFailed, NoTorch, WorkerFailed) as error:
        said = str(error).rstrip(".")
        raise GraderFault(f"Your functions could not be run: {said}. Try `anatomy doctor`.") from error
    from grader.run.told import record, told

    if format_ == "json":
        print_json(record(performance))
    else:
        click.echo(told(performance, terminal_width(WIDTH)), nl=False)
    click.get_current_context().exit(0 if performance.same else 1)
