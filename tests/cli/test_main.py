"""The command as a whole: help, mistakes, interrupts, pipes, and what it must not import."""

import importlib.util
import os
import subprocess
import sys
from pathlib import Path

import click
import pytest
from click.testing import CliRunner

from grader import __version__
from grader.cli import COMMANDS, main
from grader.cli.lazy import LazyCommand, LazyGroup
from grader.errors import UserError

HELP = """\
Usage: anatomy [OPTIONS] COMMAND [ARGS]...

  Learn how a decoder-only transformer works by writing it, one function at a
  time.

Options:
  --version   Show the version and exit.
  -h, --help  Show this message and exit.

Commands:
  start      Make a workspace with a stub for every function.
  list       Lessons and exercises, with points and minutes.
  status     Where you stand and what comes next.
  grade      Grade your functions.
"""


def anatomy(*arguments: str, **kwargs: object) -> subprocess.CompletedProcess[str]:
    """The command in a process of its own, as a person runs it."""
    command = [sys.executable, "-m", "grader.cli", *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=False, **kwargs)  # type: ignore[call-overload, no-any-return]  # options are passed on


def test_help_lists_the_commands_in_the_order_of_use(runner: CliRunner) -> None:
    done = runner.invoke(main, ["--help"], prog_name="anatomy")
    assert done.exit_code == 0
    assert done.output.startswith(HELP)
    assert done.output.endswith("  First time here? Type `anatomy start`, then `anatomy status`.\n")


def test_the_version_is_the_distributions(runner: CliRunner) -> None:
    assert runner.invoke(main, ["--version"]).output == f"anatomy {__version__} (decoder-anatomy)\n"


@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: command.name)
def test_every_command_can_be_loaded_and_explains_itself(command: LazyCommand, runner: CliRunner) -> None:
    if importlib.util.find_spec(f"grader.cli.{command.name}") is None:
        pytest.fail(f"grader/cli/{command.name}.py is missing")
    done = runner.invoke(main, [command.name, "--help"])
    assert done.exit_code == 0
    assert command.load().name == command.name


@pytest.mark.parametrize(
    ("typed", "says"),
    [
        ("strart", "Error: No such command 'strart'. Did you mean `anatomy start`?\n"),
        ("xyz", "Error: No such command 'xyz'. `anatomy --help` names them all.\n"),
    ],
)
def test_a_mistyped_command_gets_the_nearest_one(runner: CliRunner, typed: str, says: str) -> None:
    done = runner.invoke(main, [typed], prog_name="anatomy")
    assert done.exit_code == 2
    assert done.stdout == ""
    assert done.stderr.endswith(says)


def group_that_raises(error: BaseException) -> LazyGroup:
    @click.command()
    def fall() -> None:
        raise error

    class Ready(LazyCommand):
        def load(self) -> click.Command:
            return fall

    return LazyGroup("anatomy", lazy_commands=[Ready("fall", "Raise.")])


def test_a_persons_mistake_is_a_sentence_and_exit_code_2(runner: CliRunner) -> None:
    done = runner.invoke(group_that_raises(UserError("That is no file. Name another.")), ["fall"])
    assert (done.exit_code, done.stdout, done.stderr) == (2, "", "Error: That is no file. Name another.\n")


def test_ctrl_c_ends_with_the_code_of_shells(runner: CliRunner) -> None:
    done = runner.invoke(group_that_raises(KeyboardInterrupt()), ["fall"])
    assert (done.exit_code, done.stdout, done.stderr) == (130, "", "\nInterrupted.\n")


def test_our_own_mistake_is_not_hidden(runner: CliRunner) -> None:
    done = runner.invoke(group_that_raises(ZeroDivisionError("ours")), ["fall"])
    assert isinstance(done.exception, ZeroDivisionError)


@pytest.mark.skipif(os.name == "nt", reason="pipes end differently there")
def test_a_reader_that_goes_away_ends_the_command_quietly() -> None:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as closed:
        command = [sys.executable, "-m", "grader.cli", "list"]
        done = subprocess.run(command, stdout=closed, stderr=subprocess.PIPE, check=False)
    assert done.stderr == b""


@pytest.mark.parametrize("encoding", ["ascii", "cp1252"])
def test_a_terminal_of_few_characters_is_no_obstacle(tmp_path: Path, encoding: str) -> None:
    done = anatomy("start", str(tmp_path / "Я"), env={**os.environ, "PYTHONIOENCODING": encoding})
    assert (done.returncode, done.stderr) == (0, "")
    assert "Grade it:  anatomy grade" in done.stdout


@pytest.mark.parametrize(
    "arguments",
    [
        ["list"],
        ["list", "--format", "json"],
        ["status"],
        ["status", "--format", "json"],
        ["due"],
        ["due", "--count"],
        ["stats"],
        ["--help"],
        ["hint", "rms_norm"],
    ],
    ids=" ".join,
)
def test_what_needs_no_torch_imports_neither_torch_nor_rich(arguments: list[str], tmp_path: Path) -> None:
    code = (
        "import sys\n"
        "from grader.cli import main\n"
        f"main({arguments!r}, standalone_mode=False)\n"
        "heavy = {'torch', 'numpy', 'rich', 'jinja2', 'pytest', 'watchfiles'} & set(sys.modules)\n"
        "assert not heavy, heavy\n"
    )
    done = subprocess.run([sys.executable, "-c", code], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


def test_importing_the_package_imports_nothing_else() -> None:
    code = "import sys; before = set(sys.modules); import grader; print(sorted(set(sys.modules) - before))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "['grader']\n"


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="there is no full disk here to write to")
def test_output_that_cannot_be_written_is_one_sentence() -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [sys.executable, "-m", "grader.cli", "settings"],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 2
    assert done.stderr == "Error: The output could not be written (No space left on device).\n"


@pytest.mark.parametrize("command", ["status", "stats", "due", "review"])
def test_a_closed_output_is_no_traceback(command: str) -> None:
    code = f"exec {sys.executable} -m grader.cli {command} >&-"
    done = subprocess.run(["sh", "-c", code], stderr=subprocess.PIPE, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
