"""Beyond one machine: a scheduler and two worker processes give what this process gives, whoever dies."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from grader.batch.handed_in import Contents, HandedIn, Student
from grader.batch.hands import ClusterHands
from grader.batch.journal import Journal
from grader.batch.order import Order
from grader.batch.run import Run
from grader.course.load import load_course
from grader.errors import UserError
from grader.places import reference_folder

COURSE = load_course()
RIGHT = (reference_folder() / "normalization.py").read_text("utf-8")
EXERCISES = [exercise.id for exercise in COURSE.lesson("normalization").exercises]
TEXTS = {
    "right": (RIGHT, 36),
    "summed": (RIGHT.replace(".mean(dim=-1", ".sum(dim=-1", 1), 24),
    "broken": ("def rms_norm(:\n", 0),
}


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """The address of a scheduler with two workers."""
    folder = tmp_path_factory.mktemp("cluster")
    quiet = ["--no-dashboard", "--scheduler-file", str(folder / "scheduler.json")]

    def start(module: str, *options: str) -> subprocess.Popen[bytes]:
        with (folder / "output").open("ab") as output:
            words = [sys.executable, "-W", "ignore", "-m", f"distributed.cli.{module}", *quiet, *options]
            return subprocess.Popen(words, stdout=output, stderr=output, cwd=folder)

    started = [start("dask_scheduler", "--port", "0", "--host", "127.0.0.1")]
    started += [
        start("dask_worker", "--nthreads", "1", "--no-nanny", "--local-directory", str(folder)) for _ in range(2)
    ]
    try:
        yield _address(folder / "scheduler.json")
    finally:
        for process in started:
            process.kill()
            process.wait(timeout=60)


def _address(file: Path) -> str:
    for _ in range(600):
        if file.exists() and file.read_text():
            return str(json.loads(file.read_text())["address"])
        time.sleep(0.1)
    raise AssertionError(f"no scheduler: {(file.parent / 'output').read_text()}")


def graded(hands, out, count, tell=lambda _: None):
    names = [f"{name}-{number}" for number in range(count) for name in TEXTS]

    def handed(name: str) -> HandedIn:
        text = TEXTS[name.partition("-")[0]][0].encode()
        return HandedIn((Student(name),), name, lambda: Contents({"normalization": text}))

    with Journal(out) as journal:
        manner = Order("", ("normalization",)).manner(COURSE, ("normalization",), EXERCISES, allow_weak=False)
        run = Run(COURSE, manner, journal, {name: name for name in names}, lambda: hands, tell=tell)
        run([handed(name) for name in names], len(names))
        return {entry.student.id: entry.earned for entry in journal.entries()}


def expected(count):
    return {f"{name}-{number}": TEXTS[name][1] for number in range(count) for name in TEXTS}


@pytest.mark.filterwarnings("ignore")  # what Dask warns of is not ours to mend
def test_two_workers_give_every_score_and_one_killed_in_the_middle_costs_only_time(cluster, tmp_path):
    assert graded(ClusterHands(cluster), tmp_path / "quiet", count=1) == expected(1)

    hands = ClusterHands(cluster)
    assert hands.size == 2
    workers = hands.pids()
    killed = []

    def kill_one(ran):
        if ran.done == 3 and not killed:
            killed.append(workers.pop())
            os.kill(killed[0], signal.SIGKILL)

    assert graded(hands, tmp_path / "killed", count=5, tell=kill_one) == expected(5)
    assert killed


@pytest.mark.filterwarnings("ignore")
def test_where_there_is_no_scheduler_that_is_one_sentence():
    with pytest.raises(UserError, match=r"There is no Dask scheduler at tcp://127\.0\.0\.1:9: .*\."):
        ClusterHands("tcp://127.0.0.1:9", seconds=1)
