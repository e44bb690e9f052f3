"""A session at a real terminal: a question has the screen to itself, keys do what they say, and nothing is lost."""

import os
import pty
import select
import sys
import time
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from warm import WarmPython

from grader.records.log import Log

PATIENCE = 60.0
NEXT = "Enter for the next"
CLEARED = "\x1b[2J"


class Terminal:
    """The command in a terminal of its own. warm: in a process that has torch; without it, started as a person does."""

    def __init__(self, *words: str, cwd: Path, warm: WarmPython | None) -> None:
        self.seen = ""
        self.over = False
        self._warm = warm
        self._theirs: int | None = None
        if warm is None:
            self.pid, self._descriptor = pty.fork()
            if self.pid == 0:
                os.chdir(cwd)
                os.environ["TERM"] = "xterm"
                os.execv(sys.executable, [sys.executable, "-m", "grader.cli", *words])
        else:
            self._descriptor, self._theirs = pty.openpty()
            with pytest.MonkeyPatch.context() as patch:
                patch.setenv("TERM", "xterm")
                warm.start("-m", "grader.cli", *words, terminal=os.ttyname(self._theirs), cwd=cwd)

    def wait_for(self, *texts: str) -> str:
        """Read until one of the texts appears. Returns what was read since the last time, up to its end."""
        deadline = time.monotonic() + PATIENCE
        while not (found := [text for text in texts if text in self.seen]):
            ready, _, _ = select.select([self._descriptor], [], [], max(0.0, deadline - time.monotonic()))
            assert ready, f"{texts!r} did not come; there is {self.seen[-500:]!r}"
            self.seen += self._read()
        before, _, self.seen = self.seen.partition(found[0])
        return before + found[0]

    def miss(self) -> str:
        """Say of the question that is shown that it is not known. Returns what is told then."""
        self.type(".\r")
        told = self.wait_for(NEXT, "Which of these ideas")  # an explanation is rated after it was given
        if told.endswith(NEXT):
            return told
        self.type(".\r")
        return told + self.wait_for(NEXT)

    def type(self, text: str) -> None:
        os.write(self._descriptor, text.encode())

    def end(self) -> tuple[str, int]:
        """Everything to the end, and the exit code."""
        deadline = time.monotonic() + PATIENCE
        while select.select([self._descriptor], [], [], max(0.0, deadline - time.monotonic()))[0]:
            if not (piece := self._read()):
                break
            self.seen += piece
        else:
            pytest.fail(f"it did not end; there is {self.seen[-500:]!r}")
        return self.seen, self.hang_up()

    def hang_up(self) -> int:
        """What ends whatever still runs there. Returns the exit code."""
        self.over = True
        os.close(self._descriptor)
        if self._warm is not None:
            return self._warm.finish()
        return os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])

    def _read(self) -> str:
        try:
            read = os.read(self._descriptor, 65536).decode(errors="replace")
        except OSError:  # so Linux reports the end
            return ""
        if self._theirs is not None:  # the process has opened it as well: now its end is seen here
            os.close(self._theirs)
            self._theirs = None
        return read


Begin = Callable[..., Terminal]


@pytest.fixture
def begin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, home: Path, warm_python: WarmPython) -> Iterator[Begin]:
    """A review of `feedforward`, the day after it was completed, at its first question."""
    home.mkdir()
    (home / "device").write_text("laptop\n", encoding="ascii")  # decides the questions; the first is none to explain
    Log(home).append("complete", {"lesson": "feedforward"}, datetime(2026, 3, 1, 11, tzinfo=UTC))
    monkeypatch.setenv("ANATOMY_NOW", "2026-03-02T12:00:00+01:00")

    begun: list[Terminal] = []

    def begin(until: str = "> ", warm: bool = True) -> Terminal:
        begun.append(Terminal("review", cwd=tmp_path, warm=warm_python if warm else None))
        begun[-1].wait_for(until)
        return begun[-1]

    yield begin
    for terminal in begun:
        if not terminal.over:
            terminal.hang_up()


@pytest.fixture
def session(begin: Begin) -> Terminal:
    return begin()


def answers(home: Path) -> int:
    return sum(event.type == "answer" for event in Log(home).read().events)


def test_each_question_has_an_empty_screen_and_enter_leads_to_the_next(session, home):
    told = session.miss()
    assert "Not yet." in told
    assert CLEARED not in told
    session.type("\r")
    assert CLEARED in session.wait_for("question 2 of 8")
    session.type("\x04")
    rest, code = session.end()
    assert "1 of 8 answers are kept" in rest
    assert code == 1


def test_ctrl_c_is_one_sentence_and_keeps_what_was_answered(begin, home):
    session = begin(warm=False)
    session.miss()
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


def test_half_a_line_before_ctrl_d_is_no_answer(session, home):
    session.type("12\x04\x04")  # the first sends what was typed, the second ends the input
    rest, code = session.end()
    assert "0 of 8 answers are kept" in rest
    assert code == 1
    assert answers(home) == 0


def test_an_arrow_key_uses_no_try(session, home):
    session.type("\x1b[A1\r")
    assert "That line holds keys" in session.wait_for("> ")
    session.type("\x04")
    session.end()
    assert answers(home) == 0


def test_a_session_that_is_gone_on_with_says_so_on_the_first_screen(begin):
    first = begin()
    first.miss()
    first.type("\x04")
    first.end()
    terminal = begin(until=CLEARED)
    assert "1 of 8 are answered" in terminal.wait_for("question 2 of 8").rpartition(CLEARED)[2]
    terminal.type("\x04")
    terminal.end()
