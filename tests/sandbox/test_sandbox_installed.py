"""Nothing of ours can be read by a worker: in a clone and installed beside torch, as root and as somebody else."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import torch

ROOT = Path(__file__).parents[2]
PROGRAM = Path(__file__).with_name("installation.py")
SOMEBODY = 61_001
ORDINARY = pytest.mark.skipif(os.getuid() != 0, reason="only root can become somebody else; the rest runs as one")

if sys.platform != "linux":
    pytest.skip("only Linux closes files off", allow_module_level=True)


def look(python: str, paths: list[Path], *, account: int | None = None, cwd: Path = ROOT, home: Path) -> dict[str, Any]:
    """Run the program and return what it found."""
    options = [] if account is None else ["--as", str(account)]
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "SECRET": "canary", "PYTHONDONTWRITEBYTECODE": "1"}
    command = [python, str(PROGRAM), *options, *map(str, paths)]
    environment["PYTHONPATH"] = "" if cwd != ROOT else str(ROOT)
    done = subprocess.run(command, cwd=cwd, env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


def holds(found: dict[str, Any]) -> None:
    """Whether it protects, with namespaces and without them, by what this machine offers."""
    for mode in found["modes"]:
        assert mode["readable"] == []
        assert mode["broken"] == []
        possible = {"namespaces", "landlock", "seccomp"} - set(mode["off"])
        assert possible <= set(mode["layers"])
        assert mode["level"] == ("strong" if len(possible) == 3 else "standard")


@pytest.fixture(scope="module")
def public() -> Iterator[Path]:
    """A folder that every account may enter, which pytest's own are not."""
    with tempfile.TemporaryDirectory(prefix="installed-") as name:
        Path(name).chmod(0o755)
        yield Path(name)


@pytest.fixture
def place(public: Path) -> Path:
    """A folder for one test in there."""
    folder = Path(tempfile.mkdtemp(dir=public))
    folder.chmod(0o755)
    return folder


@pytest.fixture(scope="module")
def wheel(public: Path) -> Path:
    """A virtual environment with our packages installed in it; torch comes from another by a .pth file."""
    folder = public / "venv"
    venv.create(folder, with_pip=False, symlinks=True)
    site = next(folder.glob("lib/python*/site-packages"))
    # Another process may be proving its protection: what it lays out for that comes and goes.
    leave_out = shutil.ignore_patterns("__pycache__", ".canary-*", ".probe-*")
    shutil.copytree(ROOT / "grader", site / "grader", ignore=leave_out)
    shutil.copytree(ROOT / "reference", site / "reference", ignore=leave_out)
    shutil.copytree(ROOT / "lessons", site / "grader" / "_data" / "lessons")
    (site / "shared.pth").write_text(str(Path(torch.__file__).parents[1]) + "\n")
    return folder


def secrets_of(site: Path) -> list[Path]:
    """What must be out of reach where our packages are installed."""
    return [
        site,
        site / "grader",
        site / "grader" / "suites",
        site / "grader" / "suites" / "test_normalization.py",
        site / "grader" / "sandbox" / "inside" / "worker.py",
        site / "grader" / "_data" / "lessons" / "course.yaml",
        site / "grader" / "misconceptions" / "normalization.py",
        site / "reference" / "normalization.py",
        site / "shared.pth",
    ]


def secrets_of_clone(home: Path) -> list[Path]:
    """What must be out of reach in a clone: all of it, and what lies around."""
    names = [
        "",
        "pyproject.toml",
        "grader",
        "reference",
        "grader/suites/test_objective.py",
        "student",
        "lessons",
        "tests",
    ]
    (home / ".ssh").mkdir()
    (home / ".ssh" / "id").write_text("secret")
    (home / "submissions").mkdir(mode=0o755)
    (home / "submissions" / "other.py").write_text("def rms_norm(): ...")
    around = [home, home / ".ssh" / "id", home / "submissions", home / "submissions" / "other.py", Path("/etc/passwd")]
    # A link into the packages' folder would make a listing of ours possible by way of torch's.
    beside_torch = Path(torch.__file__).parents[1]
    return [*(ROOT / name for name in names), *around, beside_torch / "pytest" / "__init__.py", beside_torch / "click"]


def test_a_clone(place: Path) -> None:
    found = look(sys.executable, secrets_of_clone(place), home=place)
    holds(found)
    assert found["suites"] == str(ROOT / "grader" / "suites")
    if os.getuid() == 0 and "namespaces" in found["modes"][0]["layers"]:
        assert "own-identity" in found["modes"][0]["layers"]


@ORDINARY
def test_a_clone_for_an_ordinary_account(place: Path) -> None:
    secrets = secrets_of_clone(place)
    os.chown(place, SOMEBODY, SOMEBODY)
    found = look(sys.executable, secrets, account=SOMEBODY, home=place)
    assert found["uid"] == SOMEBODY
    holds(found)


@ORDINARY
def test_root_leaves_its_account_without_namespaces_too(place: Path) -> None:
    """Where the interpreter lies in a folder that others may enter."""
    found = look(sys.executable, secrets_of_clone(place), account=0, home=place)
    holds(found)
    assert all("own-identity" in mode["layers"] for mode in found["modes"])


def test_an_installation_beside_other_packages(wheel: Path, place: Path) -> None:
    site = next(wheel.glob("lib/python*/site-packages"))
    found = look(str(wheel / "bin" / "python"), secrets_of(site), cwd=place, home=place)
    assert found["suites"] == str(site / "grader" / "suites")
    holds(found)


@ORDINARY
def test_an_installation_in_a_private_home_of_an_ordinary_account(wheel: Path, place: Path) -> None:
    """torch and what it needs lie in one folder with ours, and all of that beneath a folder of mode 0700."""
    home = place / "home"
    shutil.copytree(wheel, home / "venv", symlinks=True)
    site = next((home / "venv").glob("lib/python*/site-packages"))
    (site / "shared.pth").unlink()
    for entry in Path(torch.__file__).parents[1].iterdir():
        if entry.suffix != ".pth" and not (site / entry.name).exists():
            (site / entry.name).symlink_to(entry)
    subprocess.run(["chown", "-Rh", f"{SOMEBODY}:{SOMEBODY}", str(home)], check=True)
    home.chmod(0o700)
    (home / "diary").write_text("secret")
    # With namespaces the packages' folder is one made anew, with nothing in it that is not to be read.
    secrets = [path for path in secrets_of(site) if path not in (site, site / "shared.pth")]
    python = str(home / "venv" / "bin" / "python")
    found = look(python, [*secrets, home / "diary"], account=SOMEBODY, cwd=place, home=home)
    assert found["suites"] == str(site / "grader" / "suites")
    holds(found)
