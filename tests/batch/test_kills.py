"""A run that is killed at random moments and started again ends as one that nobody disturbed."""

from __future__ import annotations

import json
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from made_exports import Handed, folders
from nightly import NIGHTLY

from grader.batch.journal import Journal
from grader.gradebook.book import Gradebook

KILLS = 100 if NIGHTLY else 10
SERVER = Path(__file__).with_name("killed.py")

Run = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def run() -> Iterator[Run]:
    server = subprocess.Popen(
        [sys.executable, str(SERVER)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    )
    assert server.stdin is not None
    assert server.stdout is not None

    def run(submissions: Path, out: Path, kill: float | None = None) -> dict[str, Any]:
        server.stdin.write(json.dumps({"submissions": str(submissions), "out": str(out), "kill": kill}) + "\n")
        line = server.stdout.readline()
        assert line, "the process that forks the others has ended"
        answer: dict[str, Any] = json.loads(line)
        return answer

    yield run
    server.communicate(timeout=60)


@pytest.fixture
def submissions(tmp_path: Path) -> Path:
    return folders(tmp_path / "class", [Handed(f"s {n}", "", {"normalization.py": b"#" * (n % 11)}) for n in range(30)])


def result_of(out: Path) -> dict[str, Any]:
    """All that a run leaves for people, and what journal and gradebook say."""
    pages = {
        path.name: path.read_bytes() for path in [*out.glob("*.csv"), *out.glob("*.html"), *out.glob("feedback/*")]
    }
    reports = {path.name: path.read_bytes() for path in out.glob("reports/*")}
    with Journal(out) as journal:
        keys = [entry.key for entry in journal.entries()]
        assert len(keys) == len(set(keys)), "something was graded twice"
    with Gradebook(out / "gradebook.sqlite", create=False) as book:
        standings = list(book.standings("normalization"))
        histories = [[change.reason for change in book.history("normalization", each.student.id)] for each in standings]
    return {"pages": pages, "reports": reports, "keys": set(keys), "standings": standings, "histories": histories}


def test_killed_at_random_moments_it_loses_and_invents_nothing(run: Run, submissions: Path, tmp_path: Path) -> None:
    undisturbed = run(submissions, tmp_path / "undisturbed")
    assert undisturbed["status"] == 0
    expected = result_of(tmp_path / "undisturbed")
    assert len(expected["reports"]) == len(expected["standings"]) == 30
    chance, killed, finished = random.Random(14), 0, 0
    while killed < KILLS:
        out = tmp_path / f"out-{finished}"
        done = run(submissions, out, kill=chance.uniform(0, undisturbed["seconds"]))
        killed += done["status"] == -9
        if done["status"] == 0:
            assert result_of(out) == expected
            finished += 1
    assert run(submissions, out)["status"] == 0
    assert result_of(out) == expected
