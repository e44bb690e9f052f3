"""One run of an experiment, from the first step to the files it leaves."""

import os
import platform
import sys
import time
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from grader import __version__
from grader.errors import UserError
from grader.lab import record
from grader.lab.experiment import Experiment, Findings, Progress

THREADS = 1
"""So narrow models gain nothing from a second thread, and sums in one order give the same numbers again."""
_MANY = 100


@dataclass(frozen=True, slots=True)
class Took:
    """How long it took: by the clock, and the processor's own time, which other programs do not lengthen."""

    seconds: float
    cpu_seconds: float


@dataclass(frozen=True, slots=True)
class Done:
    """A finished run: what it found, what its record holds, and the files, the record last."""

    findings: Findings
    content: dict[str, Any]
    files: tuple[Path, ...]

    @property
    def record(self) -> Path:
        return self.files[-1]


def run(experiment: Experiment, seed: int, folder: Path, made: datetime, progress: Progress) -> Done:
    """Run an experiment and leave a PNG, an SVG and a record in `folder`, which is made if it is not there.

    Raises UserError, before anything is run, if the folder cannot be written.
    """
    _try_folder(folder)
    import torch

    from grader.lab import plot  # noqa: F401  a broken matplotlib shows before the run, not after it

    threads = torch.get_num_threads()
    torch.set_num_threads(THREADS)
    started, cpu_started = time.perf_counter(), time.process_time()
    try:
        findings = experiment.run(seed, progress)
    finally:
        torch.set_num_threads(threads)
    took = Took(time.perf_counter() - started, time.process_time() - cpu_started)
    return keep(experiment, seed, folder, made, findings, took)


def keep(experiment: Experiment, seed: int, folder: Path, made: datetime, findings: Findings, took: Took) -> Done:
    """Write what was found. Raises UserError."""
    from grader.lab import plot

    pictures = {".png": plot.png(findings.figure), ".svg": plot.svg(findings.figure)}
    for again in range(_MANY):
        stem = record.stem(made, experiment.name, seed, again)
        if any(os.path.lexists(folder / f"{stem}{ending}") for ending in (*pictures, ".json")):
            continue
        filled = content(experiment, seed, made, findings, took, [f"{stem}{ending}" for ending in pictures])
        contents = {**pictures, ".json": record.encode(filled)}  # a record is there only once its plots are
        files = [folder / f"{stem}{ending}" for ending in contents]
        if all(record.write_new(file, data) for file, data in zip(files, contents.values(), strict=True)):
            return Done(findings, filled, tuple(files))
    raise UserError(f"{folder} holds {_MANY} runs of this second already. Name another folder with --out.")


def _try_folder(folder: Path) -> None:
    """Find out now, not after a minute, whether files can be written there."""
    probe = folder / f".lab-{os.getpid()}"
    record.write_new(probe, b"")
    probe.unlink(missing_ok=True)


def content(
    experiment: Experiment, seed: int, made: datetime, findings: Findings, took: Took, plots: list[str]
) -> dict[str, Any]:
    """What the record of a run holds, all but its digest."""
    import numpy
    import torch

    return {
        "experiment": experiment.name,
        "seed": seed,
        "made": made.isoformat(timespec="seconds"),
        "question": experiment.question,
        "baseline": experiment.baseline,
        "changed": experiment.changed,
        "expected": experiment.expected,
        "versions": {
            "python": platform.python_version(),
            "torch": torch.__version__,
            "numpy": numpy.__version__,
            "decoder-anatomy": __version__,
        },
        "machine": {
            "system": f"{platform.system()} {platform.machine()}",
            "cores": os.cpu_count() or 1,
            "threads": THREADS,
        },
        "settings": {key: _plain(value) for key, value in findings.settings.items()},
        "measured": {name: [dict(row) for row in rows] for name, rows in findings.measured.items()},
        "timing": {
            "seconds": round(took.seconds, 2),
            "cpu_seconds": round(took.cpu_seconds, 2),
            "peak_process_mib": _peak_process_mib(),
            **{name: [dict(row) for row in rows] for name, rows in findings.timing.items()},
        },
        "plots": plots,
    }


def _plain(value: object) -> object:
    return list(value) if isinstance(value, tuple) else value


def _peak_process_mib() -> float | None:
    """The largest memory of this process so far, in MiB; None on Windows, which has no such call."""
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return round(peak / (1 << 20 if sys.platform == "darwin" else 1 << 10), 1)
