"""A click group that imports a subcommand when it is used, and shows a person's mistake as one sentence."""

import contextlib
import errno
import io
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any

import click

from grader.errors import GraderFault, UserError

_INTERRUPTED = 130  # 128 + SIGINT, as shells report it
_NO_OUTPUT = frozenset({errno.ENOSPC, errno.EIO})  # a full disk, a terminal that was closed
_UNWRITTEN = 2


@dataclass(frozen=True, slots=True)
class LazyCommand:
    """A subcommand by name: `grader.cli.<name>` holds a click command named `function`, the name itself by default.

    The sentence for the overview stands here, so that `--help` imports no subcommand.
    """

    name: str
    summary: str
    function: str = ""

    def load(self) -> click.Command:
        module = import_module(f"grader.cli.{self.name}")
        command: click.Command = getattr(module, self.function or self.name)
        return command


class LazyGroup(click.Group):
    """The group behind `anatomy`."""

    def __init__(
        self,
        *args: Any,
        lazy_commands: Sequence[LazyCommand] = (),
        offers: Callable[[str], bool] = lambda _: True,
        elsewhere: Callable[[str], str] = str,
        **kwargs: Any,
    ) -> None:
        """offers: whether a command is to be had in this installation; elsewhere: the sentence for one that is not."""
        super().__init__(*args, **kwargs)
        self._lazy = {command.name: command for command in lazy_commands if offers(command.name)}
        self._absent = {command.name for command in lazy_commands} - self._lazy.keys()
        self._elsewhere = elsewhere

    def list_commands(self, ctx: click.Context) -> list[str]:  # noqa: ARG002  click's signature
        """The subcommands in the order in which a learner needs them."""
        return list(self._lazy)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:  # noqa: ARG002  click's signature
        """Import a subcommand."""
        lazy = self._lazy.get(cmd_name)
        return lazy.load() if lazy else None

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """Find the subcommand; of a mistyped one, say which was meant (click knows no lazy ones)."""
        name = args[0]
        if name in self._absent and not ctx.resilient_parsing:
            raise UserError(self._elsewhere(name))
        if name not in self._lazy and not name.startswith("-") and not ctx.resilient_parsing:
            import difflib  # only a mistyped command needs it

            close = difflib.get_close_matches(name, self._lazy, n=1)
            advice = f"Did you mean `{ctx.command_path} {close[0]}`?" if close else "`anatomy --help` names them all."
            raise click.UsageError(f"No such command {name!r}. {advice}", ctx)
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:  # noqa: ARG002  click's signature
        """The overview of `--help`, from the sentences above."""
        with formatter.section("Commands"):
            formatter.write_dl([(command.name, command.summary) for command in self._lazy.values()])

    def invoke(self, ctx: click.Context) -> Any:
        """Run the subcommand. A UserError becomes its sentence and exit code 2, a GraderFault 3, Ctrl-C 130."""
        _survive_narrow_encodings()
        try:
            return super().invoke(ctx)
        except UserError as error:
            click.echo(f"Error: {error}", err=True)
            ctx.exit(error.exit_code)
        except GraderFault as fault:
            click.echo(f"Grader fault, not yours: {fault}", err=True)
            ctx.exit(fault.exit_code)
        except KeyboardInterrupt:
            click.echo("\nInterrupted.", err=True)
            ctx.exit(_INTERRUPTED)
        except OSError as error:
            if error.errno not in _NO_OUTPUT or error.filename is not None:
                raise
            with contextlib.suppress(OSError):
                click.echo(f"Error: The output could not be written ({error.strerror}).", err=True)
            _drop_output()
            ctx.exit(_UNWRITTEN)


def _drop_output() -> None:
    """What is still to be written goes nowhere, lest Python tries it once more at its end."""
    with contextlib.suppress(OSError, io.UnsupportedOperation):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _survive_narrow_encodings() -> None:
    """A character that cannot be shown becomes `?`, bytes that cannot be read U+FFFD; neither may end the command."""
    for stream in (sys.stdin, sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            with contextlib.suppress(io.UnsupportedOperation):
                stream.reconfigure(errors="replace")
