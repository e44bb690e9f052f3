"""A learner's forty days with the real command: misses, absences, two machines and a clock that is set wrong.

The transcript, forty_days.txt, is what such a learner reads. `ANATOMY_WRITE_TRANSCRIPT=1` writes it anew; read it then.
"""

import io
import os
import re
from collections.abc import Collection
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from click.testing import CliRunner
from lent import Lent
from typist import Answering, Typist, right, wrong
from warm import WarmPython

from grader.cli import main
from grader.course.load import load_course
from grader.places import reference_folder
from grader.sandbox import Zygote

TRANSCRIPT = Path(__file__).with_name("forty_days.txt")
DAY_0 = datetime.fromisoformat("2026-03-16T09:00:00+01:00")
"""The clocks go forward on day 13."""
COURSE = load_course()
ANSWERS = (reference_folder() / "normalization.py").read_text("utf-8")
EPS_OUTSIDE = ANSWERS.replace("torch.sqrt(mean_square + eps)", "(torch.sqrt(mean_square) + eps)")


class Machine:
    """One of the learner's machines: a home for its records, and what was typed and read on it."""

    def __init__(self, name: str, folder: Path, transcript: list[str], python: WarmPython) -> None:
        self._python = python
        self.name, self.home, self.work = name, folder / name, folder / f"{name}-work"
        self._transcript = transcript
        self.work.mkdir()
        self.home.mkdir()
        (self.home / "device").write_text(f"{name}\n", encoding="ascii")

    def run(self, when: datetime, *words: str, typed: Answering = right) -> None:
        """Run a command at a time, answering like this."""
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("ANATOMY_HOME", str(self.home))
            patch.setenv("ANATOMY_NOW", when.isoformat())
            patch.chdir(self.work)
            keyboard = io.BufferedReader(Typist(self.home, COURSE, typed))
            result = CliRunner().invoke(main, words, input=keyboard, prog_name="anatomy", catch_exceptions=False)
        self._note(when, words, result.output, result.exit_code)

    def grade(self, when: datetime, answers: str) -> None:
        """Grade the lesson with these answers, in a process of its own as always."""
        (self.work / "student").mkdir(exist_ok=True)
        (self.work / "student" / "normalization.py").write_text(answers, encoding="utf-8")
        words = ("grade", "normalization")
        environment = {**os.environ, "ANATOMY_HOME": str(self.home), "ANATOMY_NOW": when.isoformat()}
        done = self._python.run("-m", "grader.cli", *words, cwd=self.work, env=environment, lend=True, together=True)
        self._note(when, words, done.stdout, done.returncode)

    def _note(self, when: datetime, words: Collection[str], output: str, code: int) -> None:
        number = (when.date() - DAY_0.date()).days
        day = f"Day {number}" if number >= 0 else "A wrong clock"
        self._transcript.append(f"{'=' * 100}\n{day}, {when:%A %Y-%m-%d %H:%M}, on the {self.name}")
        said = re.sub(r"\d+\.\d+ s\b", "_ s", output).replace(str(self.home), "~")
        self._transcript.append(f"$ anatomy {' '.join(words)}\n{said.rstrip()}\n[exit code {code}]\n")


def at(day: int, hour: int = 9, minute: int = 0) -> datetime:
    """An hour of a day, by the wall clock of a place where summer time begins on day 13."""
    summer = day > 13 or (day == 13 and hour >= 3)
    moment = DAY_0.replace(hour=hour, minute=minute) + timedelta(days=day)
    return datetime.fromisoformat(f"{moment:%Y-%m-%dT%H:%M:%S}+0{1 + summer}:00")


def missing(*numbers: int, stop: int | None = None) -> Answering:
    """Miss the questions with these numbers at the first try; leave before question `stop`."""

    def answer(turn, key):
        if turn.scored and turn.number == stop:
            return None
        return wrong(turn, key) if turn.scored and turn.number in numbers else right(turn, key)

    return answer


@pytest.fixture(scope="module")
def transcript(tmp_path_factory: pytest.TempPathFactory, warm_python: WarmPython, zygote: Zygote) -> str:
    lines: list[str] = []
    folder = tmp_path_factory.mktemp("forty-days")
    laptop, desktop = (Machine(name, folder, lines, warm_python) for name in ("laptop", "desktop"))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("grader.cli.companion.Zygote", lambda: Lent(zygote))
        live_through(laptop, desktop)
    return "\n".join(lines)


def carry_over(when: datetime, source: Machine, target: Machine) -> None:
    """Take the records from one machine to the other, by a file."""
    source.run(when, "log", "export", "-o", "records.jsonl")
    (target.work / "records.jsonl").write_bytes((source.work / "records.jsonl").read_bytes())
    target.run(when, "log", "import", "records.jsonl")


def live_through(laptop: Machine, desktop: Machine) -> None:
    """The forty days."""
    laptop.grade(at(0, 19), EPS_OUTSIDE)
    laptop.grade(at(0, 20), ANSWERS)
    laptop.run(at(0, 20, 5), "review", "--list")
    laptop.run(at(0, 20, 6), "review", "--forecast", "40")

    laptop.run(at(1), "due")
    laptop.run(at(1, 9, 5), "review", typed=missing(4))
    laptop.run(at(2), "review")

    laptop.run(at(3, 8), "review", typed=missing(2, stop=4))  # the bus arrives
    laptop.run(at(3, 21), "review")
    carry_over(at(3, 22), laptop, desktop)

    desktop.run(at(7, 8), "review", typed=missing(1, 2, 3))
    laptop.run(at(7, 20), "review")  # the laptop does not know yet
    carry_over(at(7, 21), desktop, laptop)
    carry_over(at(7, 22), laptop, desktop)
    laptop.run(at(7, 23), "review", "--list")
    desktop.run(at(7, 23), "review", "--list")

    laptop.run(at(13, 2, 30), "review", "--list")  # the night in which the clocks go forward: still day 12
    laptop.run(at(13, 12), "due")

    laptop.run(at(-12), "due")  # on day 20 the battery is empty: the clock says 2026-03-04
    laptop.run(at(-12, 9, 1), "review", "normalization", "--practice", typed=missing(stop=2))
    laptop.run(at(20, 9, 5), "review", typed=missing(1, 2, 3))

    laptop.run(at(22), "pause", "normalization")
    laptop.run(at(23), "due")
    laptop.run(at(23), "undo")
    laptop.run(at(26), "review", "normalization", typed=missing(1, 2))
    laptop.run(at(26, 10), "calendar", "-o", "reviews.ics")
    laptop.run(at(30), "due")

    laptop.run(at(40), "review")
    laptop.run(at(40, 10), "stats")
    laptop.run(at(40, 11), "due")


def test_the_transcript_is_the_one_that_was_read_and_found_good(transcript):
    if os.environ.get("ANATOMY_WRITE_TRANSCRIPT"):
        TRANSCRIPT.write_text(transcript, encoding="utf-8")
    assert transcript == TRANSCRIPT.read_text(encoding="utf-8")


def test_the_rungs_of_the_forty_days(transcript):
    """What the transcript must say, whatever the questions are."""
    for said in (
        "Lesson normalization is complete.",
        "normalization, rung 1 of 5: done.",
        "You began this session today: 3 of 8 are answered.",
        "normalization, rung 2 of 5: done.",
        "normalization  rung 4 of 5, due Mon 2026-03-30",
        "normalization, rung 4 of 5: done.",
        "Two reviews running did not pass.",
        "Missed in three reviews",
        "normalization, repeat of rung 5: done.",
        "has graduated",
    ):
        assert said in transcript, said


def test_it_reads_well_anywhere(transcript):
    assert max(map(len, transcript.splitlines())) <= 120
    assert "\x1b" not in transcript
    assert "Traceback" not in transcript
