"""The command `anatomy`. Each subcommand lies in a module of its own and is imported only when it is used."""

import click

from grader import __version__
from grader.cli.lazy import LazyCommand, LazyGroup

COMMANDS = (
    LazyCommand("start", "Make a workspace with a stub for every function."),
    LazyCommand("list", "Lessons and exercises, with points and minutes.", function="list_"),
    LazyCommand("status", "Where you stand and what comes next."),
    LazyCommand("grade", "Grade your functions."),
    LazyCommand("hint", "The next hint for an exercise."),
    LazyCommand("reset", "Put one function back to its stub; your text is kept aside."),
    LazyCommand("solution", "The answer to an exercise that you have passed."),
    LazyCommand("run", "The trained model on your own functions."),
    LazyCommand("lab", "Experiments that are measured, and your report on them."),
    LazyCommand("check", "Check the course against itself."),
    LazyCommand("doctor", "What this machine offers: versions, folders, sandbox."),
)


@click.group(
    cls=LazyGroup,
    lazy_commands=COMMANDS,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="First time here? Type `anatomy start`, then `anatomy status`.",
)
@click.version_option(__version__, prog_name="anatomy", message="%(prog)s %(version)s (decoder-anatomy)")
def main() -> None:
    """Learn how a decoder-only transformer works by writing it, one function at a time."""
