"""A session at a real terminal: a question has the screen to itself, keys do what they say, and nothing is lost."""

import os
import pty
import select
import sys
import time
from pathlib import Path

import pytest

from grader.records.log import Log

PATIENCE = 60.0
CLEARED = "\x1b[2J"


class Terminal:
    """The command in a terminal of its own."""

    def __init__(self, *words: str, cwd: Path) -> None:
        self.pid, self._descriptor = pty.fork()
        if self.pid == 0:
            os.chdir(cwd)
            os.environ["TERM"] = "xterm"
            os.execv(sys.executable, [sys.executable, "-m", "grader.cli", *words])
        self.seen = ""

    def wait_for(self, text: str) -> str:
        """Read until the text appears. Returns what was read since the last time, up to its end."""
        deadline = time.monotonic() + PATIENCE
        while text not in self.seen:
            ready, _, _ = select.select([self._descriptor], [], [], max(0.0, deadline - time.monotonic()))
            assert ready, f"{text!r} did not come; there is {self.seen[-500:]!r}"
            self.seen += self._read()
        before, _, self.seen = self.seen.partition(text)
        return before + text

    def type(self, text: str) -> None:
        os.write(self._descriptor, text.encode())

    def end(self) -> tuple[str, int]:
        """Everything to the end, and the exit code."""
        while piece := self._read():
            self.seen += piece
        _, status = os.waitpid(self.pid, 0)
        os.close(self._descriptor)
        return self.seen, os.waitstatus_to_exitcode(status)

    def _read(self) -> str:
        try:
            return os.read(self._descriptor, 65536).decode(errors="replace")
        except OSError:  # so Linux reports the end
            return ""


@pytest.fixture
def session(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: Path) -> Terminal:
    """A review of `feedforward`, the day after it was completed, at its first question."""
    monkeypatch.setenv("ANATOMY_NOW", "2026-03-01T12:00:00+01:00")
    Terminal("complete", "feedforward", cwd=tmp_path).end()
    monkeypatch.setenv("ANATOMY_NOW", "2026-03-02T12:00:00+01:00")
    terminal = Terminal("review", cwd=tmp_path)
    terminal.wait_for("> ")
    return terminal


def answers(home: Path) -> int:
    return sum(event.type == "answer" for event in Log(home).read().events)


def test_each_question_has_an_empty_screen_and_enter_leads_to_the_next(session, home):
    session.type(".\r")
    told = session.wait_for("Enter for the next")
    assert "Not yet." in told
    assert CLEARED not in told
    session.type("\r")
    assert CLEARED in session.wait_for("question 2 of 8")
    session.type("\x04")
    rest, code = session.end()
    assert "1 of 8 answers are kept" in rest
    assert code == 1


def test_ctrl_c_is_one_sentence_and_keeps_what_was_answered(session, home):
    session.type(".\r")
    session.wait_for("Enter for the next")
    session.type("\x03")
    rest, code = session.end()
    assert "1 of 8 answers are kept" in rest
    assert "Traceback" not in rest
    assert code == 130
    assert answers(home) == 1


def test_half_a_line_before_ctrl_c_is_no_answer(session, home):
    session.type("12")
    session.type("\x03")
    rest, code = session.end()
    assert "0 of 8 answers are kept" in rest
    assert code == 130
    assert answers(home) == 0
