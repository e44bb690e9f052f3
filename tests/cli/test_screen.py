"""The screen: what it shows where there is no colour, little room or no keyboard."""

import pytest

from grader.cli.screen import Left, Screen


def test_without_any_input_a_session_is_broken_off(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sys.stdin", None)
    screen = Screen()
    assert not screen.interactive
    with pytest.raises(Left):
        screen.ask()


def test_a_heading_is_underlined_as_far_as_the_terminal_goes(capsys: pytest.CaptureFixture[str]) -> None:
    screen = Screen()
    screen.width = 10
    screen.title("heads, rung 1 of 5: question 1 of 8")
    assert capsys.readouterr().out.splitlines()[-1] == "-" * 10


@pytest.mark.parametrize(
    ("variable", "value", "styled"), [("NO_COLOR", "1", 0), ("TERM", "dumb", 0), ("TERM", "xterm", 1)]
)
def test_no_colour_where_none_is_wanted(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], variable: str, value: str, styled: int
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv(variable, value)
    calls = []
    monkeypatch.setattr("click.style", lambda text, **_styles: calls.append(text) or text)
    Screen().verdict("Right.", good=True)
    assert len(calls) == styled
    assert capsys.readouterr().out == "Right.\n"
