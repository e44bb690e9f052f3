"""The zip unpacked and run as Gradescope does it: setup.sh once, then run_autograder, where there is no network.

Each day the environment that setup.sh finds already has torch and all else in it, by a path to those of the tests, and
only the course is installed. At night it finds nothing and installs all of it.
"""

import importlib.metadata
import importlib.util
import json
import os
import shutil
import stat
import subprocess
import sys
import tempfile
import venv
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
import torch
from export.importers import check_results
from nightly import NIGHTLY

from grader.export.autograder import autograder_zip
from grader.export.task import Task
from grader.places import reference_folder

ROOT = Path(__file__).parents[2]
SEED = 918273645
TASK = Task(("normalization",), SEED, held_out=True, hide_expected=True)
CLEAN = {"PATH": "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "HOME": "/nowhere"}
WRONG = "\n\ndef rms_norm(x, gain, eps=1e-5):\n    print('SEEN')\n    return x * gain\n"
HOSTILE_FILES = ("conftest.py", "sitecustomize.py", "torch.py", "grader/__init__.py", "pytest.ini", "usercustomize.py")

if sys.platform != "linux":
    pytest.skip("Gradescope's containers are Linux", allow_module_level=True)


def without_network() -> list[str]:
    """The command that runs another where there is no network, not even a loopback; empty if that is not allowed."""
    unshare = shutil.which("unshare")
    if unshare is None:
        return []
    options = ["--net"] if os.getuid() == 0 else ["--map-root-user", "--net"]
    return (
        [unshare, *options] if subprocess.run([unshare, *options, "true"], capture_output=True).returncode == 0 else []
    )


def laid_out(root: Path, archive: bytes) -> None:
    """What Gradescope does when an image is built, but for setup.sh."""
    for name in ("source", "submission", "results"):
        (root / name).mkdir(parents=True)
    (root / "autograder.zip").write_bytes(archive)
    with zipfile.ZipFile(root / "autograder.zip") as packed:
        packed.extractall(root / "source")
    shutil.copyfile(root / "source" / "run_autograder", root / "run_autograder")
    for script in (root / "run_autograder", root / "source" / "setup.sh"):
        script.chmod(script.stat().st_mode | stat.S_IXUSR | stat.S_IXGRP | stat.S_IXOTH)


def prepared(root: Path) -> dict[str, str]:
    """An environment in which pip finds what the tests have, and with it what saves time when ours is installed."""
    venv.create(root / "venv", with_pip=False, symlinks=True)
    site = next((root / "venv").glob("lib/python*/site-packages"))
    # By what is installed, not by what can be imported: to look for `pip` as a module would disarm setuptools here.
    folders = {str(importlib.metadata.distribution(name).locate_file("")) for name in ("torch", "pip", "click")}
    (site / "shared.pth").write_text("\n".join(sorted(folders)) + "\n", "utf-8")
    # It is built with what is here, where that is here: another environment for the build would take seconds more.
    return {"PIP_NO_BUILD_ISOLATION": "0"} if importlib.util.find_spec("hatchling") else {}


@pytest.fixture(scope="module")
def container() -> Iterator[Path]:
    """A folder laid out like Gradescope's /autograder, in which setup.sh has run."""
    with tempfile.TemporaryDirectory(prefix="autograder-") as name:
        Path(name).chmod(0o755)  # a worker leaves its account, and pip's packages must be in its reach
        root = Path(name, "autograder")
        laid_out(root, autograder_zip(ROOT, TASK))
        settings = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
        environment = {**CLEAN, **settings, **({} if NIGHTLY else prepared(root))}
        if NIGHTLY:
            environment["PATH"] = os.pathsep.join([str(Path(sys.base_prefix, "bin")), CLEAN["PATH"]])
        done = subprocess.run(
            ["bash", "source/setup.sh"], cwd=root, env=environment, capture_output=True, text=True, timeout=1800
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert "Ready: 3 exercises, 36 points." in done.stdout
        yield root


def hand_in(root: Path) -> None:
    """Two right functions, a wrong one, and files that must not come to life."""
    right = (reference_folder() / "normalization.py").read_text("utf-8")
    folder = root / "submission" / "student"
    folder.mkdir()
    (folder / "normalization.py").write_text(right + WRONG, "utf-8")
    for place in (root / "submission", folder):
        for name in HOSTILE_FILES:
            (place / name).parent.mkdir(exist_ok=True)
            (place / name).write_text("raise SystemExit('it came to life')\n", "utf-8")


def test_the_zip_installs_itself_and_grades_without_a_network(container):
    hand_in(container)
    environment = {**CLEAN, "PYTHONPATH": str(container / "submission")}
    done = subprocess.run(
        [*without_network(), "./run_autograder"], cwd=container, env=environment, capture_output=True, text=True,
        timeout=120,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    content = (container / "results" / "results.json").read_bytes()
    document = check_results(content)
    assert [path.name for path in (container / "results").iterdir()] == ["results.json"]
    assert {test["name"]: test["score"] for test in document["tests"]} == {
        "normalization.layer_norm": 12,
        "normalization.rms_norm": 0,
        "normalization.standardize": 12,
    }
    assert document["score"] == 24
    wrong = document["tests"][1]["output"]
    assert "expected: not shown in this run" in wrong
    assert "SEEN" in wrong
    assert str(SEED) not in content.decode()
    assert str(SEED) not in done.stdout + done.stderr
    assert "SEEN" not in done.stdout + done.stderr


def test_what_runs_is_what_the_zip_holds(container):
    script = "import grader, reference, json, sys; json.dump([grader.__file__, reference.__file__], sys.stdout)"
    python = container / "venv" / "bin" / "python"
    done = subprocess.run([python, "-I", "-c", script], env=CLEAN, cwd=container, capture_output=True, text=True)
    for file in json.loads(done.stdout):
        assert Path(file).is_relative_to(container / "venv"), done.stderr
    assert stat.S_IMODE((container / "source" / "assignment.json").stat().st_mode) == 0o600


@pytest.mark.parametrize(("python", "code"), [("kill -9 $$", 137), ("exit 0", 3), ("exit 1", 1), (None, 127)], ids=str)
def test_a_grader_that_is_killed_or_missing_leaves_a_valid_document_without_a_score(tmp_path, python, code):
    for name in ("source", "results", "venv/bin"):
        (tmp_path / name).mkdir(parents=True)
    (tmp_path / "results" / "results.json").write_text('{"score": 100}')  # of the submission before
    shutil.copy(ROOT / "grader" / "export" / "container" / "run_autograder", tmp_path)
    if python is not None:
        (tmp_path / "venv" / "bin" / "python").write_text(f"#!/bin/sh\n{python}\n")
        (tmp_path / "venv" / "bin" / "python").chmod(0o755)
    done = subprocess.run(["./run_autograder"], cwd=tmp_path, env=CLEAN, capture_output=True, text=True)
    assert done.returncode == code, done.stderr
    document = check_results((tmp_path / "results" / "results.json").read_bytes())
    assert "score" not in document
    assert "No points were lost" in document["output"]


def test_an_image_without_a_new_python_gets_one_or_says_so(tmp_path):
    (tmp_path / "bin").mkdir()
    for name in ("bash", "dirname"):
        (tmp_path / "bin" / name).symlink_to(shutil.which(name))
    (tmp_path / "bin" / "apt-get").write_text(f"#!/bin/sh\necho $* >> {tmp_path}/asked\nexit 100\n")
    (tmp_path / "bin" / "apt-get").chmod(0o755)
    setup = ROOT / "grader" / "export" / "container" / "setup.sh"
    done = subprocess.run(["/bin/bash", setup], env={"PATH": str(tmp_path / "bin")}, capture_output=True, text=True)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr.startswith("Python 3.11 or newer with venv is needed")
    asked = (tmp_path / "asked").read_text().splitlines()
    assert asked[0] == "update"
    assert asked[1:] == [f"install -y python3.{minor} python3.{minor}-venv" for minor in (13, 12, 11)]


def test_torch_comes_from_where_the_tests_have_it_unless_it_is_night(container):
    beside_torch = str(Path(torch.__file__).parents[1])
    assert (
        any(beside_torch in path.read_text() for path in container.glob("venv/lib/*/site-packages/shared.pth"))
        is not NIGHTLY
    )
