"""How long a verdict takes, as ratios in one run on this machine.

    python tests/benchmarks/grading.py [--rounds N]

Each command and its yardstick run in turn, so that a machine whose speed drifts spoils neither; medians are compared.
"""

from __future__ import annotations

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from log import made_lines

from grader.course.load import load_course
from grader.places import reference_folder

LESSON = "normalization"
IMPORT_TORCH = [sys.executable, "-c", "import torch"]
NOTHING = [sys.executable, "-c", "pass"]
EVENTS = 2_000
SETTLED = 2.5
ANATOMY = [sys.executable, "-m", "grader.cli"]


def main() -> None:
    """Print one line a measurement."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=9)
    rounds = parser.parse_args().rounds
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["ANATOMY_HOME"] = str(folder / "home")
        os.environ.pop("PYTHONDONTWRITEBYTECODE", None)  # a person's Python keeps its bytecode; so does torch's
        student = workspace(folder)
        grade = [*ANATOMY, "grade", LESSON, "--student", str(student)]
        torch, cold = in_turn(rounds, command(IMPORT_TORCH), command(grade))
        report("cold `anatomy grade normalization` / `import torch`", cold, torch, target=1.6)
        torch, warm = in_turn(rounds, command(IMPORT_TORCH), Watching(student, rounds + 1))
        report("verdict in --watch after a save / `import torch`", warm, torch, target=0.15)
        everything = [*ANATOMY, "grade", "--student", str(student)]
        torch, right = in_turn(rounds, command(IMPORT_TORCH), command(everything))
        report("all lessons, everything right / `import torch`", right, torch, target=4)
        everything = [*ANATOMY, "grade", "--student", str(all_wrong(folder))]
        torch, wrong = in_turn(rounds, command(IMPORT_TORCH), command(everything))
        report("all lessons, every function wrong / `import torch`", wrong, torch, target=8)
        write_log(Path(os.environ["ANATOMY_HOME"]) / "log")
        for words in (["list"], ["status"], ["due", "--quiet"]):
            nothing, quick = in_turn(rounds, command(NOTHING), command([*ANATOMY, *words], cwd=folder))
            added = 1000 * (statistics.median(quick) - statistics.median(nothing))
            what = f"`anatomy {' '.join(words)}` beyond `python -c pass`, {EVENTS} events logged"
            print(f"{what}: {added:.0f} ms (target 120); alone {1000 * statistics.median(quick):.0f} ms (target 200)")


def workspace(folder: Path) -> Path:
    """The reference as a learner's modules, so that every test runs to its end."""
    student = folder / "student"
    student.mkdir()
    for lesson in load_course().lessons:
        text = (reference_folder() / f"{lesson.slug}.py").read_text("utf-8")
        (student / f"{lesson.slug}.py").write_text(text, "utf-8")
    return student


def write_log(folder: Path) -> None:
    """What a learner who is nearly through leaves behind."""
    folder.mkdir(parents=True)
    lines = made_lines(load_course(), EVENTS)
    (folder / "made.jsonl").write_text("".join(lines), "ascii")
    time.sleep(SETTLED)  # what was just written is read again each time


def all_wrong(folder: Path) -> Path:
    """Every function in a way that somebody once got it wrong (the first of tests/answers/wrong for each)."""
    student = folder / "wrong"
    student.mkdir()
    answers = Path(__file__).parents[1] / "answers" / "wrong"
    for lesson in load_course().lessons:
        texts = [min(answers.glob(f"{exercise.id}.*.py")).read_text("utf-8") for exercise in lesson.exercises]
        (student / f"{lesson.slug}.py").write_text("\n\n".join(texts), "utf-8")
    return student


def in_turn(rounds: int, *measures: Callable[[], float]) -> list[list[float]]:
    """Seconds of each measure, one after the other, after a first round that does not count."""
    taken: list[list[float]] = [[] for _ in measures]
    for round_ in range(rounds + 1):
        for measure, seconds in zip(measures, taken, strict=True):
            elapsed = measure()
            if round_:
                seconds.append(elapsed)
    return taken


def command(words: list[str], cwd: Path | None = None) -> Callable[[], float]:
    """A command as a whole process. Exit codes 0 to 2 are verdicts; anything else is an error of the benchmark."""

    def run() -> float:
        started = time.perf_counter()
        done = subprocess.run(words, cwd=cwd, capture_output=True, text=True, check=False)
        elapsed = time.perf_counter() - started
        if done.returncode not in (0, 1, 2):
            raise SystemExit(f"{' '.join(words)} ended with {done.returncode}:\n{done.stderr}")
        return elapsed

    return run


class Watching:
    """`anatomy grade --watch`: from the moment the file is written to the last line of the verdict."""

    def __init__(self, student: Path, saves: int) -> None:
        self.module = student / f"{LESSON}.py"
        self.saves = saves
        words = [*ANATOMY, "grade", LESSON, "--student", str(student), "--watch"]
        self.process = subprocess.Popen(
            words,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env={**os.environ, "PYTHONUNBUFFERED": "1"},
        )
        next(self._verdicts())
        assert self.process.stderr is not None
        self.process.stderr.readline()
        time.sleep(1.0)  # the watcher registers after it says so; this is no part of any figure

    def __call__(self) -> float:
        self.module.write_text(self.module.read_text("utf-8") + "\n", "utf-8")
        started = time.perf_counter()
        next(self._verdicts())
        elapsed = time.perf_counter() - started
        self.saves -= 1
        if not self.saves:
            self.process.terminate()
            self.process.wait()
        return elapsed

    def _verdicts(self) -> Iterator[str]:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if line.startswith(("All right", "Next:")):
                yield line


def report(what: str, measured: list[float], yardstick: list[float], target: float) -> None:
    """One line: the ratio of the medians, the spread of the ratios, the target."""
    ratio = statistics.median(measured) / statistics.median(yardstick)
    pairs = sorted(a / b for a, b in zip(measured, yardstick, strict=True))
    print(
        f"{what}: {ratio:.2f} (pairs {pairs[0]:.2f} to {pairs[-1]:.2f}; "
        f"{1000 * statistics.median(measured):.0f} ms / {1000 * statistics.median(yardstick):.0f} ms; target {target})"
    )


if __name__ == "__main__":
    main()
