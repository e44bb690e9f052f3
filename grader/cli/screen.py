"""The learner's screen and keyboard for questions: one question a screen, complete in a pipe and without colour."""

from __future__ import annotations

import os
import sys

import click

from grader.cli.output import at_terminal, terminal_width, wrapped

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
        self.interactive = at_terminal(sys.stdin) and at_terminal(sys.stdout)
        understands = os.environ.get("TERM", "dumb") != "dumb"
        self._clears = self.interactive and understands
        self._colours = understands and not os.environ.get("NO_COLOR")
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

    def title(self, text: str) -> None:
        """Show a heading with a line below it."""
        self.tell(text)
        click.echo("-" * min(len(text), self.width))

    def verdict(self, text: str, *, good: bool) -> None:
        """A verdict stands out where there is colour; the words alone tell it."""
        if self._colours:
            text = click.style(text, bold=True, fg="green" if good else "yellow")
        click.echo(text)

    def ask(self, mark: str = "> ") -> str:
        """One line from the learner. Raises Left at the end of the input, for Ctrl-C, and for `quit`."""
        try:
            # Not input(): it writes the mark to stderr, and half a line before Ctrl-D would be an answer.
            click.echo(mark, nl=False)
            raw = sys.stdin.readline() if sys.stdin else ""
        except KeyboardInterrupt:
            click.echo()
            raise Left(interrupted=True) from None
        if not raw or (self.interactive and not raw.endswith("\n")):
            click.echo()
            raise Left
        line = raw.rstrip("\r\n")
        if not self.interactive:
            click.echo(line)  # a pipe shows no typing, and a transcript needs it
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
        "√·π→".encode((sys.stdout and sys.stdout.encoding) or "ascii")
    except (UnicodeEncodeError, LookupError):
        return False
    return True
