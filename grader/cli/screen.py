"""The learner's screen and keyboard for questions: one question a screen, complete in a pipe and without colour."""

from __future__ import annotations

import os
import sys

import click

from grader.cli.output import terminal_width, wrapped

WIDTH = 88
LEAVE = "quit"


class Left(Exception):
    """The learner stopped, or the input ended. interrupted: by Ctrl-C."""

    def __init__(self, interrupted: bool = False) -> None:
        super().__init__()
        self.interrupted = interrupted


class Screen:
    """Shows text and reads lines. At a terminal each question has an empty screen, and Enter leads to the next."""

    def __init__(self) -> None:
        self.interactive = sys.stdin.isatty() and sys.stdout.isatty()
        self._clears = self.interactive and os.environ.get("TERM", "dumb") != "dumb"
        self.unicode = _shows_unicode()
        self.width = terminal_width(WIDTH)

    def begin(self) -> None:
        """The next question: on an empty screen, or after an empty line."""
        if self._clears:
            click.clear()
        else:
            click.echo()

    def say(self, text: str = "") -> None:
        """Show a line or several."""
        click.echo(text)

    def tell(self, text: str) -> None:
        """Show sentences, wrapped."""
        click.echo(wrapped(text))

    def verdict(self, text: str, *, good: bool) -> None:
        """A verdict stands out where there is colour; the words alone tell it."""
        click.secho(text, bold=True, fg="green" if good else "yellow")

    def ask(self, mark: str = "> ") -> str:
        """One line from the learner. Raises Left at the end of the input, for Ctrl-C, and for `quit`."""
        try:
            if self.interactive:
                line = input(mark)
            else:
                click.echo(mark, nl=False)
                raw = sys.stdin.readline()
                if not raw:
                    click.echo()
                    raise Left
                line = raw.rstrip("\r\n")
                click.echo(line)  # a pipe shows no typing, and a transcript needs it
        except EOFError:
            click.echo()
            raise Left from None
        except KeyboardInterrupt:
            click.echo()
            raise Left(interrupted=True) from None
        if line.strip().lower() == LEAVE:
            raise Left
        return line

    def pause(self, text: str) -> None:
        """Wait for Enter at a terminal; a pipe goes on."""
        if self.interactive:
            click.echo()
            self.ask(text)


def _shows_unicode() -> bool:
    try:
        "√·π→".encode(sys.stdout.encoding or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
