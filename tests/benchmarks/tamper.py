"""What hostile and unlucky submissions get out of a grader, ours and others.

    python tests/benchmarks/tamper.py [--only WORDS] [--patience SECONDS]

Each submission is graded for one exercise, `rms_norm`, by plain pytest as most courses run it (the tests import the
submission, the reference lies beside them), by otter-grader and nbgrader where they are installed, and by this project.
Prints a Markdown table: points of 100, and what else happened. Runs hostile code with this account's rights: use a
machine, or a container, that may be lost.
"""

from __future__ import annotations

import argparse
import importlib.util
import json
import os
import secrets
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree

from tamper_others import grade_with_nbgrader, grade_with_otter
from tamper_submissions import SUBMISSIONS

PATIENCE = 30.0
"""Seconds for one submission, as a course's platform would give it."""
REFERENCE = """\
import torch


def rms_norm(x, weight, eps=1e-6):
    wide = x.to(torch.promote_types(x.dtype, torch.float32))
    return (wide / (wide.square().mean(-1, keepdim=True) + eps).sqrt() * weight).to(x.dtype)
"""
TESTS = '''\
"""CANARY"""
import torch

import reference
from normalization import rms_norm


def agree(x, weight, **options):
    found = rms_norm(x, weight, **options)
    assert torch.allclose(found, reference.rms_norm(x, weight, **options), atol=1e-6)


def test_small(): agree(torch.tensor([[1.0, -2.0, 3.0]]), torch.tensor([1.0, 0.5, 2.0]), eps=0.1)
def test_random(): agree(torch.randn(4, 8), torch.randn(8))
def test_default_eps(): agree(torch.randn(3, 8) * 1e-3, torch.randn(8))
def test_leading_axes(): agree(torch.randn(2, 3, 4, 6), torch.randn(6))
def test_float64(): agree(torch.randn(2, 5, dtype=torch.float64), torch.randn(5, dtype=torch.float64))
def test_bfloat16(): agree(torch.randn(3, 16).bfloat16(), torch.randn(16).bfloat16())
'''
COUNT = TESTS.count("def test_")


@dataclass(frozen=True)
class Verdict:
    """points: of 100, None where the run gave none; notes: what else happened."""

    points: int | None
    notes: tuple[str, ...] = ()

    def __str__(self) -> str:
        points = "no result" if self.points is None else str(self.points)
        return "; ".join([points, *self.notes])


@dataclass(frozen=True)
class Bench:
    """Where one submission is graded: secrets are planted all around, and a drop for what leaks."""

    folder: Path
    secret: str
    patience: float

    @property
    def drop(self) -> Path:
        return self.folder / "drop"

    def environment(self) -> dict[str, str]:
        return {**os.environ, "GRADER_TOKEN": self.secret, "OMP_NUM_THREADS": "1", "PYTHONDONTWRITEBYTECODE": "1"}

    def run(self, command: list[str], folder: Path) -> tuple[int | None, str]:
        """Exit code (None: it had to be killed) and output."""
        with tempfile.TemporaryFile("w+") as output:
            process = subprocess.Popen(
                command, cwd=folder, env=self.environment(), stdout=output, stderr=subprocess.STDOUT,
                stdin=subprocess.DEVNULL, start_new_session=True,
            )  # fmt: skip
            try:
                code: int | None = process.wait(self.patience)
            except subprocess.TimeoutExpired:
                os.killpg(process.pid, signal.SIGKILL)
                process.wait()
                code = None
            output.seek(0)
            return code, output.read()

    def aftermath(self, output: str) -> tuple[str, ...]:
        """Secrets that got out, and processes that are still there."""
        dropped = [path.read_text(errors="replace") for path in self.drop.iterdir() if path.name != "alive"]
        notes = ["leaks"] if any(self.secret in text for text in (*dropped, output)) else []
        alive = self.drop / "alive"
        if alive.exists() and alive.read_text().isdigit():
            pid = int(alive.read_text())
            try:
                os.kill(pid, signal.SIGKILL)
                notes.append("leaves a process running")
            except ProcessLookupError:
                pass
        return tuple(notes)


def grade_with_pytest(bench: Bench, source: str) -> Verdict:
    """The tests import the submission; the points are those of the report that pytest writes."""
    room = bench.folder / "pytest"
    room.mkdir()
    (room / "normalization.py").write_text(source)
    (room / "reference.py").write_text(REFERENCE)
    (room / "test_rms_norm.py").write_text(TESTS.replace("CANARY", bench.secret))
    report = room / "report.xml"
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        f"--junitxml={report}",
        "test_rms_norm.py",
    ]
    code, output = bench.run(command, room)
    notes = [] if code is not None else [f"killed after {bench.patience:g} s"]
    if (room / "test_rms_norm.py").read_text() != TESTS.replace("CANARY", bench.secret):
        notes.append("its tests are overwritten")
    if not report.exists():
        notes.append("no report" + (", exit code 0" if code == 0 else ""))
        return Verdict(None, (*notes, *bench.aftermath(output)))
    cases = list(ElementTree.parse(report).iter("testcase"))
    passed = sum(not any(child.tag in ("failure", "error", "skipped") for child in case) for case in cases)
    skipped = sum(any(child.tag == "skipped" for child in case) for case in cases)
    if skipped:
        notes.append("tests count as skipped, exit code 0" if code == 0 else "tests count as skipped")
    return Verdict(round(100 * min(passed, COUNT) / COUNT), (*notes, *bench.aftermath(output)))


def grade_here(bench: Bench, source: str) -> Verdict:
    """This project's own command."""
    student = bench.folder / "student"
    student.mkdir()
    (student / "normalization.py").write_text(source)
    command = [sys.executable, "-m", "grader.cli", "grade", "normalization.rms_norm", "--student", str(student)]
    code, output = bench.run([*command, "--format", "json"], Path(__file__).parents[2])
    try:
        (result,) = json.loads(output[output.index("{") :])["exercises"]
    except ValueError:
        return Verdict(None, (f"exit code {code}", *bench.aftermath(output)))
    notes = [] if result["status"] in ("passed", "failed") else [result["status"].replace("_", " ")]
    return Verdict(round(100 * result["earned"] / result["possible"]), (*notes, *bench.aftermath(output)))


GRADERS: dict[str, tuple[str | None, Callable[[Bench, str], Verdict]]] = {
    "plain pytest": (None, grade_with_pytest),
    "otter-grader": ("otter", lambda bench, source: Verdict(*grade_with_otter(bench, source, TESTS, REFERENCE))),
    "nbgrader": ("nbgrader", lambda bench, source: Verdict(*grade_with_nbgrader(bench, source, TESTS, REFERENCE))),
    "anatomy": (None, grade_here),
}
"""By name: the package that must be there, and how it grades."""


def graded(grade: Callable[[Bench, str], Verdict], source: str, patience: float) -> Verdict:
    """One submission in a bench of its own, which is thrown away."""
    folder = Path(tempfile.mkdtemp(prefix="tamper-"))
    try:
        folder.chmod(0o755)
        bench = Bench(folder, f"CANARY{secrets.token_hex(12)}", patience)
        bench.drop.mkdir()
        bench.drop.chmod(0o777)
        (folder / "others").mkdir()
        (folder / "others" / "alice.py").write_text(f"# {bench.secret}\n")
        text = source.replace("DROP", str(bench.drop)).replace("FOLDER", str(folder))
        return grade(bench, f"import torch\n{text}")
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--only", default="", help="submissions whose description holds these words")
    parser.add_argument("--patience", type=float, default=PATIENCE, help="seconds for one submission")
    options = parser.parse_args()
    # Programs that come with the other graders lie beside this interpreter.
    os.environ["PATH"] = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])
    os.environ["ANATOMY_HOME"] = tempfile.mkdtemp(prefix="tamper-home-")
    there = {
        name: grade
        for name, (package, grade) in GRADERS.items()
        if package is None or importlib.util.find_spec(package)
    }
    print("| the submission | " + " | ".join(there) + " |")
    print("|---|" + "---|" * len(there), flush=True)
    for name, source in SUBMISSIONS.items():
        if options.only in name:
            verdicts = [str(graded(grade, source, options.patience)) for grade in there.values()]
            print(f"| {name} | " + " | ".join(verdicts) + " |", flush=True)
    if missing := [name for name in GRADERS if name not in there]:
        print(f"\nNot installed here, so left out: {', '.join(missing)}.")
    shutil.rmtree(os.environ["ANATOMY_HOME"], ignore_errors=True)


if __name__ == "__main__":
    main()
