"""Tables are complete without a terminal, and the same words stand in one."""

import io

import pytest
from rich.console import Console

from grader.cli import output
from grader.cli.output import Row, Table, plain_table, print_table

TABLE = Table(
    ("Name", "Points"),
    [Row(("1. [bold] lesson", "110"), heading=True), Row(("   a", "9")), Row(("   b", ""))],
    right=frozenset({"Points"}),
)

PLAIN = """\
Name              Points

1. [bold] lesson     110
   a                   9
   b"""


def test_columns_are_aligned_and_nothing_is_shortened() -> None:
    assert plain_table(TABLE) == PLAIN


def test_a_pipe_gets_plain_text(capsys: pytest.CaptureFixture[str]) -> None:
    print_table(TABLE)
    assert capsys.readouterr().out == PLAIN + "\n"


def test_a_narrow_terminal_loses_the_last_columns_and_folds_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    wide = Table(("Name", "Status", "Points", "Hints"), [Row(("   a.long_name", "passed", "9/9", "0/3"))])
    screen = io.StringIO()
    monkeypatch.setattr(
        "rich.console.Console",
        lambda **options: Console(file=screen, width=32, force_terminal=True, no_color=True, **options),
    )
    monkeypatch.setattr(output.sys.stdout, "isatty", lambda: True, raising=False)
    print_table(wide)
    assert "a.long_name" in screen.getvalue()
    assert "9/9" in screen.getvalue()
    assert "Hints" not in screen.getvalue()


@pytest.mark.parametrize("width", [80, 18])
def test_a_terminal_gets_the_same_words_in_ascii(monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    screen = io.StringIO()
    monkeypatch.setattr(
        "rich.console.Console",
        lambda **options: Console(file=screen, width=width, force_terminal=True, no_color=True, **options),
    )
    monkeypatch.setattr(output.sys.stdout, "isatty", lambda: True, raising=False)
    print_table(TABLE)
    shown = screen.getvalue()
    assert shown.isascii()
    for word in ("[bold]", "lesson", "110", "a", "9", "b"):
        assert word in shown
