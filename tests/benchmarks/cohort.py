"""What a class costs, as ratios in one run on this machine.

    python tests/benchmarks/cohort.py [--submissions 300] [--plain 300] [--flat 10000] [--dask 200]

(a) `anatomy batch` for submissions of one lesson, all of its start, pages and gradebook included, against cold pytest
processes, as many at a time as there are cores, that run the same suite on the same answers unprotected; and what a
further submission costs, which is the difference to a class of twice the size. (b) Time and memory over many
submissions. (c) Two workers of a Dask scheduler against one. A number of 0 leaves a part out.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import resource
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from itertools import cycle, islice, pairwise
from pathlib import Path

from grader.places import reference_folder, suites_folder

LESSON = "normalization"
JOBS = os.cpu_count() or 1
ANATOMY = [sys.executable, "-m", "grader.cli"]


def main() -> None:
    """Print a line for each measurement."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--submissions", type=int, default=300)
    parser.add_argument("--plain", type=int, default=300, help="cold pytest processes; their mean is what counts")
    parser.add_argument("--flat", type=int, default=10_000)
    parser.add_argument("--dask", type=int, default=200)
    chosen = parser.parse_args()
    os.environ["ANATOMY_HOME"] = tempfile.mkdtemp()
    with tempfile.TemporaryDirectory() as name:
        home = Path(name)
        if chosen.submissions:
            whole_class(home / "class", chosen.submissions, chosen.plain)
        if chosen.flat:
            flat(home / "flat", chosen.flat)
        if chosen.dask:
            dask(home / "dask", chosen.dask)


def made(folder: Path, count: int) -> list[Path]:
    """Right and wrong answers to the lesson, one folder each, no two alike."""
    right = (reference_folder() / f"{LESSON}.py").read_text("utf-8")
    texts = [
        right,
        right.replace(".mean(dim=-1", ".sum(dim=-1", 1),
        right.replace("torch.sqrt(mean_square + eps)", "(torch.sqrt(mean_square) + eps)"),
        right.replace("keepdim=True", "keepdim=False", 1),
        right.replace("torch.sqrt(variance + eps)", "(variance + eps)", 1),
    ]
    folders = []
    for number, text in enumerate(islice(cycle(texts), count)):
        home = folder / f"s{number:05}"
        home.mkdir(parents=True)
        (home / f"{LESSON}.py").write_text(f"{text}\n\n# {number}\n", "utf-8")
        folders.append(home)
    return folders


def whole_class(folder: Path, count: int, plain: int) -> None:
    """(a)"""
    folders = made(folder, count)
    double = folder.with_name("double")
    made(double, 2 * count)
    seconds, _ = batch(folder, folder.with_name("out"))
    twice, _ = batch(double, folder.with_name("double-out"))
    ours, further = seconds / count, (twice - seconds) / count
    with ThreadPoolExecutor(JOBS) as threads:
        started = time.perf_counter()
        list(threads.map(cold_pytest, islice(cycle(folders), plain)))
        theirs = (time.perf_counter() - started) / plain
    print(
        f"(a) {count} submissions of {LESSON}, {JOBS} at a time: {seconds:.1f} s, all included, {1000 * ours:.0f} ms "
        f"each, and {1000 * further:.0f} ms for each further one; cold pytest {1000 * theirs:.0f} ms each: "
        f"{theirs / ours:.0f} times faster, {theirs / further:.0f} times for each further one (target 40)",
        flush=True,
    )


def batch(submissions: Path, out: Path, *words: str) -> tuple[float, list[tuple[float, int]]]:
    """Run the command. Returns its seconds, and how many submissions were through at which moment."""
    started = time.perf_counter()
    command = [*ANATOMY, "batch", str(submissions), "--out", str(out), "--lesson", LESSON, *words]
    done = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert done.stderr is not None
    told = [
        (time.perf_counter() - started, int(found[1])) for line in done.stderr if (found := re.match(r"(\d+) of", line))
    ]
    if done.wait():
        raise SystemExit(f"batch ended with {done.returncode}")
    return time.perf_counter() - started, told


def cold_pytest(folder: Path) -> None:
    """One process as most courses run it."""
    words = ["-q", "-p", "plain", "-p", "no:cacheprovider", "--import-mode=importlib", "-c", os.devnull]
    suite = suites_folder() / f"test_{LESSON}.py"
    environment = {
        **os.environ,
        "ANSWERS": str(folder),
        "PYTHONPATH": str(Path(__file__).parent),
        "OMP_NUM_THREADS": "1",
    }
    done = subprocess.run(
        [sys.executable, "-m", "pytest", *words, f"--rootdir={suite.parent}", str(suite)],
        env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    if done.returncode not in (0, 1) or " passed" not in done.stdout:
        raise SystemExit(f"plain pytest ended with {done.returncode}:\n{done.stdout}\n{done.stderr}")


def flat(folder: Path, count: int) -> None:
    """(b)"""
    made(folder, count)
    with memory_watched() as samples:
        seconds, told = batch(folder, folder.with_name("flat-out"))
    rates = [(later[1] - earlier[1]) / (later[0] - earlier[0]) for earlier, later in pairwise(told)]
    part = max(1, len(rates) // 10)
    early, late = sum(rates[1 : 1 + part]) / part, sum(rates[-part:]) / part
    grading = [sample for at, sample in samples if told[1][0] < at < told[-1][0]]
    tenth = max(1, len(grading) // 10)
    first, last = max(grading[:tenth]), max(grading[-tenth:])
    print(
        f"(b) {count} submissions in {seconds:.0f} s: {early:.1f} a second in the first tenth, {late:.1f} in the last: "
        f"{late / early:.2f} times; memory of all processes {first >> 20} MB, then {last >> 20} MB: {last / first:.2f} "
        f"times; while pages are written at most {max(sample for _, sample in samples) >> 20} MB",
        flush=True,
    )


@contextmanager
def memory_watched() -> Iterator[list[tuple[float, int]]]:
    """Samples of the memory that this process's descendants hold by themselves, in bytes, one a second."""
    samples: list[tuple[float, int]] = []
    started, over = time.perf_counter(), threading.Event()

    def watch() -> None:
        while not over.wait(1.0):
            samples.append((time.perf_counter() - started, sum(map(private, descendants(os.getpid())))))

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield samples
    finally:
        over.set()
        thread.join()


def descendants(pid: int) -> Iterator[int]:
    """The processes below one; those that end meanwhile are passed over."""
    try:
        children = [
            int(word)
            for task in Path(f"/proc/{pid}/task").iterdir()
            for word in (task / "children").read_text().split()
        ]
    except OSError:
        return
    for child in children:
        yield child
        yield from descendants(child)


def private(pid: int) -> int:
    """Bytes that a process holds and shares with nobody."""
    try:
        _, resident, shared, *_ = map(int, Path(f"/proc/{pid}/statm").read_text("ascii").split())
    except OSError:
        return 0
    return (resident - shared) * resource.getpagesize()


def dask(folder: Path, count: int) -> None:
    """(c)"""
    made(folder, count)
    rates = {}
    for workers in (1, 2):
        with cluster(folder.with_name(f"cluster-{workers}"), workers) as address:
            warm = folder.with_name(f"warm-{workers}")
            made(warm, 8 * workers)  # so that each worker has its suites open
            batch(warm, folder.with_name(f"warm-out-{workers}"), "--scheduler", address)
            seconds, _ = batch(folder, folder.with_name(f"dask-out-{workers}"), "--scheduler", address)
            known, _ = batch(folder, folder.with_name(f"dask-out-{workers}"), "--scheduler", address)
            rates[workers] = count / (seconds - known)  # without start, pages and gradebook, which workers do not share
    print(
        f"(c) {count} submissions on Dask workers: {rates[1]:.1f} a second with one, {rates[2]:.1f} with two: "
        f"{rates[2] / rates[1]:.2f} times (target 1.6)",
        flush=True,
    )


@contextmanager
def cluster(folder: Path, workers: int) -> Iterator[str]:
    """A scheduler and its workers on this machine."""
    folder.mkdir()
    file = folder / "scheduler.json"
    quiet = ["--no-dashboard", "--scheduler-file", str(file)]

    def start(module: str, *options: str) -> subprocess.Popen[bytes]:
        words = [sys.executable, "-W", "ignore", "-m", f"distributed.cli.{module}", *quiet, *options]
        return subprocess.Popen(words, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=folder)

    started = [start("dask_scheduler", "--port", "0", "--host", "127.0.0.1")]
    started += [start("dask_worker", "--nthreads", "1", "--no-nanny") for _ in range(workers)]
    try:
        while not (file.exists() and file.read_text()):
            time.sleep(0.1)
        yield str(json.loads(file.read_text())["address"])
    finally:
        for process in started:
            process.kill()
            process.wait()


if __name__ == "__main__":
    main()
