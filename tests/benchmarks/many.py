"""What a submission costs when there are many, as ratios in one run on this machine.

    python tests/benchmarks/many.py [--rounds 7] [--flat 2000]

(a) All tests of the course for one right submission in the sandbox, against the same collected tests that pytest runs
in one warm process, with the answers called directly. (b) Time and memory per submission in one process, early and
late. What whole classes cost is measured by cohort.py.
"""

from __future__ import annotations

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from itertools import cycle, islice
from pathlib import Path

from plain import in_this_process

from grader.course.load import load_course
from grader.grading import Grader, reference_function
from grader.judge.check import Examination
from grader.options import Options
from grader.places import reference_folder
from grader.sandbox import Zygote
from grader.session import Suites, with_suites
from grader.workspace import Submission, read_submission

LESSON = "normalization"
COURSE = load_course()


def main() -> None:
    """Print one line a measurement."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=7)
    parser.add_argument("--flat", type=int, default=2000)
    chosen = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folders = made(Path(name))
        flat(folders, chosen.flat)
        whole_course(chosen.rounds)


def made(home: Path) -> list[Path]:
    """Right and wrong answers to the lesson, one folder each."""
    right = (reference_folder() / f"{LESSON}.py").read_text("utf-8")
    texts = [
        right,
        right.replace(".mean(dim=-1", ".sum(dim=-1", 1),
        right.replace("torch.sqrt(mean_square + eps)", "(torch.sqrt(mean_square) + eps)"),
        right.replace("keepdim=True", "keepdim=False", 1),
        right.replace("torch.sqrt(variance + eps)", "(variance + eps)", 1),
    ]
    folders = []
    for number, text in enumerate(texts):
        folder = home / f"s{number}"
        folder.mkdir()
        (folder / f"{LESSON}.py").write_text(text, "utf-8")
        folders.append(folder)
    return folders


def submissions(folders: list[Path], count: int) -> list[Submission]:
    return [read_submission(folder, COURSE) for folder in islice(cycle(folders), count)]


def flat(folders: list[Path], count: int) -> None:
    """(b): in one process, so that its own memory can be read."""
    with Zygote() as zygote:
        with_suites([LESSON], lambda suites: _flat(Grader(COURSE, suites, zygote, Options()), folders, count))


def _flat(grader: Grader, folders: list[Path], count: int) -> int:
    exercises = COURSE.lesson(LESSON).exercises
    seconds, memory = [], []
    for submission in submissions(folders, count):
        started = time.perf_counter()
        grader.grade(submission, exercises)
        seconds.append(time.perf_counter() - started)
        memory.append(resident())
    part = max(10, count // 10)
    early, late = statistics.median(seconds[10 : 10 + part]), statistics.median(seconds[-part:])
    print(
        f"(b) submissions 11 to {10 + part}: {1000 * early:.1f} ms each; the last {part} of {count}: "
        f"{1000 * late:.1f} ms: {late / early:.2f} times; memory {memory[part] >> 20} MB, then {memory[-1] >> 20} MB: "
        f"{memory[-1] / memory[part]:.2f} times"
    )
    return 0


def resident() -> int:
    """Bytes of memory that this process holds."""
    try:
        return int(Path("/proc/self/statm").read_text("ascii").split()[1]) * resource.getpagesize()
    except OSError:
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def whole_course(rounds: int) -> None:
    """(a)"""
    code = f"import sys; sys.path.insert(0, {str(Path(__file__).parent)!r}); from many import course; course({rounds})"
    subprocess.run([sys.executable, "-c", code], check=True)  # pytest opens one session a process


def course(rounds: int) -> None:
    """The two ways in turn."""
    with Zygote() as zygote:
        lessons = [lesson.slug for lesson in COURSE.lessons]
        with_suites(lessons, lambda suites: _course(suites, Grader(COURSE, suites, zygote, Options()), rounds))


def _course(suites: Suites, grader: Grader, rounds: int) -> int:
    submission = read_submission(reference_folder(), COURSE)
    sandboxed, direct = [], []
    for round_ in range(rounds + 1):
        started = time.perf_counter()
        report = grader.grade(submission, COURSE.exercises)
        between = time.perf_counter()
        for exercise in COURSE.exercises:
            function = reference_function(exercise)
            examination = Examination(function, in_this_process(function), grader.answers(exercise))
            for test in suites.tests(exercise.id):
                assert suites.by_protocol(test, examination, 1)[0] == "passed", test.name
        ended = time.perf_counter()
        assert report.earned == report.possible
        if round_:  # in the first round the reference's answers are worked out
            sandboxed.append(between - started)
            direct.append(ended - between)
    ours, theirs = statistics.median(sandboxed), statistics.median(direct)
    print(
        f"(a) all tests of the course, everything right: {1000 * ours:.0f} ms in the sandbox, {1000 * theirs:.0f} ms "
        f"in one warm process without protection: {ours / theirs:.2f} times (target 2.0)"
    )
    return 0


if __name__ == "__main__":
    main()
