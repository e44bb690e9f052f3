"""otter-grader and nbgrader as their manuals run them, outside of a container, for the comparison in tamper.py.

Both run the tests in the process (a notebook's kernel) that has run the submission; the six tests are those of plain
pytest.
"""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from tamper import Bench

Outcome = tuple[int | None, tuple[str, ...]]
"""Points of 100, None where there were none, and remarks."""
_KERNEL = {"display_name": "Python 3", "language": "python", "name": "python3"}


def grade_with_otter(bench: Bench, source: str, tests: str, reference: str) -> Outcome:
    """`otter generate` and `otter run`."""
    room = bench.folder / "otter"
    (room / "tests").mkdir(parents=True)
    (room / "results").mkdir()
    (room / "reference.py").write_text(reference)
    (room / "tests" / "rms_norm.py").write_text(_otter_tests(tests.replace("CANARY", bench.secret)))
    (room / "norms.ipynb").write_text(json.dumps(_plain_notebook(source)))
    otter = [sys.executable, "-m", "otter"]
    code, output = bench.run([*otter, "generate", "-t", "tests", "-o", "autograder.zip", "reference.py"], room)
    if code != 0:
        raise SystemExit(f"otter generate ended with {code}:\n{output}")
    code, output = bench.run([*otter, "run", "-a", "autograder.zip", "-o", "results", "norms.ipynb"], room)
    report = room / "results" / "results.json"
    if not report.exists():
        return None, (_how_it_ended(code, bench), *bench.aftermath(output))
    results = json.loads(report.read_text())["tests"]
    scored = [each for each in results if each.get("max_score")]
    most = sum(each["max_score"] for each in scored)
    points = round(100 * sum(each["score"] for each in scored) / most) if most else 0
    return points, bench.aftermath(output)


def grade_with_nbgrader(bench: Bench, source: str, tests: str, reference: str) -> Outcome:
    """`nbgrader generate_assignment` and `nbgrader autograde`."""
    room = bench.folder / "nbgrader"
    assignment = room / "source" / "norms"
    assignment.mkdir(parents=True)
    (room / "nbgrader_config.py").write_text(
        "c = get_config()\nc.CourseDirectory.course_id = 'course'\nc.ExecutePreprocessor.timeout = 20\n"
    )
    (assignment / "norms.ipynb").write_text(json.dumps(_notebook(tests.replace("CANARY", bench.secret))))
    (assignment / "reference.py").write_text(reference)
    nbgrader = [sys.executable, "-m", "nbgrader"]
    code, output = bench.run([*nbgrader, "generate_assignment", "norms", "--create", "--force"], room)
    if code != 0:
        raise SystemExit(f"nbgrader generate_assignment ended with {code}:\n{output}")
    submitted = room / "submitted" / "bob" / "norms"
    shutil.copytree(room / "release" / "norms", submitted)
    notebook = json.loads((submitted / "norms.ipynb").read_text())
    notebook["cells"][0]["source"] = source
    (submitted / "norms.ipynb").write_text(json.dumps(notebook))
    code, output = bench.run([*nbgrader, "autograde", "norms", "--student", "bob", "--create"], room)
    found = _nbgrader_points(room)
    notes = bench.aftermath(output)
    return (None, (_how_it_ended(code, bench), *notes)) if found is None else (found, notes)


def _how_it_ended(code: int | None, bench: Bench) -> str:
    return f"killed after {bench.patience:g} s" if code is None else f"no report, exit code {code}"


def _otter_tests(tests: str) -> str:
    """The tests in otter's own form: each gets the submission's function as an argument."""
    head, *bodies = tests.split("def test_")
    head = head.replace("from normalization import rms_norm\n", "").replace("agree(x", "agree(rms_norm, x")
    parts = ["OK_FORMAT = False\nname = 'rms_norm'\npoints = 6\n", "from otter.test_files import test_case\n", head]
    for body in bodies:
        name, _, call = body.partition("(): agree(")
        parts.append(f"@test_case(points=1)\ndef test_{name}(rms_norm): agree(rms_norm, {call}")
    return "\n".join(parts)


def _plain_notebook(source: str) -> dict[str, Any]:
    cell = {
        "cell_type": "code",
        "execution_count": None,
        "id": "answer",
        "metadata": {},
        "outputs": [],
        "source": source,
    }
    return {"cells": [cell], "metadata": {"kernelspec": _KERNEL}, "nbformat": 4, "nbformat_minor": 5}


def _notebook(tests: str) -> dict[str, Any]:
    """One cell for the answer, one for what the tests need, one for each test."""
    head, *bodies = tests.split("def test_")
    head = head.replace("from normalization import rms_norm\n", "")
    cells = [_cell("answer", "### BEGIN SOLUTION\nrms_norm = None\n### END SOLUTION", solution=True)]
    cells += [_cell("needs", head, grade=True, points=0)]
    for body in bodies:
        name, _, call = body.partition("(): ")
        cells.append(_cell(name, f"### BEGIN HIDDEN TESTS\n{call}\n### END HIDDEN TESTS", grade=True, points=1))
    return {"cells": cells, "metadata": {"kernelspec": _KERNEL}, "nbformat": 4, "nbformat_minor": 5}


def _cell(name: str, source: str, *, solution: bool = False, grade: bool = False, points: int = 0) -> dict[str, Any]:
    about = {
        "grade_id": name,
        "grade": grade,
        "solution": solution,
        "locked": grade,
        "task": False,
        "schema_version": 3,
    }
    if grade:
        about["points"] = points
    return {
        "cell_type": "code", "execution_count": None, "id": name, "metadata": {"nbgrader": about}, "outputs": [],
        "source": source,
    }  # fmt: skip


def _nbgrader_points(room: Path) -> int | None:
    from nbgrader.api import Gradebook, MissingEntry

    with Gradebook(f"sqlite:///{room / 'gradebook.db'}") as book:
        try:
            submission = book.find_submission("norms", "bob")
        except MissingEntry:
            return None
        if not submission.max_score or not (room / "autograded" / "bob" / "norms").exists():
            return None
        return round(100 * submission.score / submission.max_score)
