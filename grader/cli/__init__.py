"""The command `anatomy`. Each subcommand lies in a module of its own and is imported only when it is used."""

import click

from grader import __version__, edition
from grader.cli.lazy import LazyCommand, LazyGroup

COMMANDS = (
    LazyCommand("start", "Make a workspace with a stub for every function."),
    LazyCommand("list", "Lessons and exercises, with points and minutes.", function="list_"),
    LazyCommand("status", "Where you stand and what comes next."),
    LazyCommand("grade", "Grade your functions."),
    LazyCommand("hint", "The next hint for an exercise."),
    LazyCommand("reset", "Put one function back to its stub; your text is kept aside."),
    LazyCommand("solution", "The answer to an exercise that you have passed."),
    LazyCommand("quiz", "Questions on a lesson, whenever you like."),
    LazyCommand("review", "What is due again; --list shows all that comes."),
    LazyCommand("due", "What is to be reviewed now; --quiet for a shell prompt."),
    LazyCommand("stats", "What has stayed, what is weak, what comes."),
    LazyCommand("complete", "Count a lesson as completed."),
    LazyCommand("restart", "Begin the reviews of a lesson anew."),
    LazyCommand("pause", "Leave a lesson out of what is due."),
    LazyCommand("undo", "Take back what you did last."),
    LazyCommand("settings", "The hour at which a study day begins."),
    LazyCommand("calendar", "The reviews ahead as an .ics file.", function="calendar_"),
    LazyCommand("anki", "The questions as an Anki deck.", function="anki_"),
    LazyCommand("log", "Take your records to another machine.", function="log_"),
    LazyCommand("run", "The trained model on your own functions."),
    LazyCommand("serve", "The lessons in the browser, graded as you save."),
    LazyCommand("site", "The lessons as pages to look at, in a folder."),
    LazyCommand("lab", "Experiments that are measured, and your report on them."),
    LazyCommand("submit", "Pack what you hand in."),
    LazyCommand("batch", "Grade what a class has handed in."),
    LazyCommand("regrade", "Grade a class again where something has changed."),
    LazyCommand("gradebook", "A class's points, with what people decided; files for platforms.", function="gradebook_"),
    LazyCommand("release", "Write the student's edition of the course."),
    LazyCommand("check", "Check the course against itself."),
    LazyCommand("doctor", "What this machine offers: versions, folders, sandbox."),
)


@click.group(
    cls=LazyGroup,
    lazy_commands=COMMANDS,
    offers=edition.offers,
    elsewhere=edition.elsewhere,
    context_settings={"help_option_names": ["-h", "--help"]},
    epilog="First time here? Type `anatomy start`, then `anatomy status`.",
)
@click.version_option(__version__, prog_name="anatomy", message="%(prog)s %(version)s (decoder-anatomy)")
def main() -> None:
    """Learn how a decoder-only transformer works by writing it, one function at a time."""
