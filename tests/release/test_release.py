"""Writing a bundle: whole or not at all, never over anything, and never with something hidden in it."""

from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from grader import edition
from grader.cli import COMMANDS, main
from grader.errors import GraderFault
from grader.release import bundle, modules
from grader.release.modules import imported_packages, modules_of_a_bundle
from grader.release.texts import project_file, requirements

ROOT = Path(__file__).parents[2]


def run(*arguments: str) -> Result:
    return CliRunner().invoke(main, arguments, prog_name="anatomy")


@pytest.fixture
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bundle of one file, at once."""

    def fill(root: Path, course: Any) -> tuple[int, int]:
        (root / "README.md").write_text("Read me.")
        return 1, 2

    monkeypatch.setattr(bundle, "_fill", fill)
    monkeypatch.setattr("grader.release.proof.hidden_in", lambda folder: [])


def test_a_new_folder_and_an_empty_one(quick: None, tmp_path: Path) -> None:
    for name in ("new/inner", "empty"):
        folder = tmp_path / name
        if name == "empty":
            folder.mkdir()
        assert run("release", str(folder)).exit_code == 0
        assert [path.name for path in folder.iterdir()] == ["README.md"]
        assert folder.stat().st_mode & 0o755 == 0o755
        assert not list(folder.parent.glob(".*"))


def test_nothing_is_written_over(quick: None, tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine")
    done = run("release", str(tmp_path))
    assert done.exit_code == 2
    assert "is not empty. Name a folder that is new or empty" in done.output
    assert [path.name for path in tmp_path.iterdir() if path.name != "home"] == ["mine.txt"]
    done = run("release", str(tmp_path / "mine.txt" / "below"))
    assert done.exit_code == 2
    assert "cannot be made" in done.output


def test_a_file_in_the_way_stays(quick: None, tmp_path: Path) -> None:
    (tmp_path / "bundle").write_text("mine")
    done = run("release", str(tmp_path / "bundle"))
    assert done.exit_code == 2
    assert (tmp_path / "bundle").read_text() == "mine"
    assert len(done.output.splitlines()) == 1


def test_a_leak_stops_it(quick: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grader.release.proof.hidden_in", lambda folder: ["README.md holds the code of heads"])
    done = run("release", str(tmp_path / "bundle"))
    assert done.exit_code == 3
    assert "README.md holds the code of heads" in done.output
    assert [path.name for path in tmp_path.iterdir() if path.name != "home"] == []


@pytest.mark.parametrize("error", [KeyboardInterrupt(), OSError(28, "No space left on device"), GraderFault("no")])
def test_nothing_half_made_is_left(
    quick: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: BaseException
) -> None:
    def fill(root: Path, course: Any) -> tuple[int, int]:
        (root / "README.md").write_text("Read me.")
        raise error

    monkeypatch.setattr(bundle, "_fill", fill)
    done = run("release", str(tmp_path / "bundle"))
    assert done.exit_code in (2, 3, 130)
    assert [path.name for path in tmp_path.iterdir() if path.name != "home"] == []
    assert "Traceback" not in done.output


def test_a_bundle_releases_none(quick: None, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundle, "bundle", lambda: edition.Bundle(1, 20, tmp_path))
    done = run("release", str(tmp_path / "bundle"))
    assert done.exit_code == 2
    assert "release one from the whole course" in done.output


def test_commands_of_a_bundle_are_commands() -> None:
    assert {command.name for command in COMMANDS} >= edition.COMMANDS


def test_modules_and_requirements() -> None:
    """What the commands import, and of the course's requirements those that this imports."""
    found = modules_of_a_bundle(ROOT / "grader")
    paths = {str(path) for path in found}
    assert {"grader/cli/grade.py", "grader/grading.py", "grader/sandbox/inside/worker.py"} <= paths
    for room in ("misconceptions", "variations", "selfcheck", "release", "batch", "gradebook", "capstone", "suites"):
        assert not [path for path in paths if path.startswith(f"grader/{room}/")]
    assert "grader/cli/solution.py" not in paths
    assert "grader/review/born/faults.py" not in paths
    wanted = requirements(imported_packages(found, ROOT))
    assert [line for line in wanted if line.startswith("torch>=")]
    assert [line for line in wanted if line.startswith("pyyaml")]
    assert not [line for line in wanted if line.startswith(("sqlalchemy", "matplotlib", "safetensors"))]
    text = project_file(wanted, licensed=True)
    assert 'name = "decoder-anatomy"' in text
    assert "ignore-vcs = true" in text


def test_a_module_that_would_bring_a_secret_along_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = tmp_path / "grader"
    texts = {
        "__init__.py": "",
        "cli/__init__.py": "",
        "cli/grade.py": "from grader import late\n",
        "late.py": "def f():\n    from grader.misconceptions import heads\n",
        "misconceptions/__init__.py": "",
        "misconceptions/heads.py": "",
    }
    for name, text in texts.items():
        (engine / name).parent.mkdir(parents=True, exist_ok=True)
        (engine / name).write_text(text)
    monkeypatch.setattr(modules, "_BEYOND_IMPORTS", ())
    found = {str(path) for path in modules_of_a_bundle(engine)}
    assert found == {"grader/__init__.py", "grader/cli/__init__.py", "grader/cli/grade.py", "grader/late.py"}
    (engine / "cli" / "grade.py").write_text("if True:\n    from ..misconceptions import heads\n")
    modules._nodes.cache_clear()
    with pytest.raises(GraderFault, match=r"grade\.py .* would import grader\.misconceptions"):
        modules_of_a_bundle(engine)


def test_templates_are_those_of_the_report(tmp_path: Path) -> None:
    templates = tmp_path / "render" / "templates"
    templates.mkdir(parents=True)
    (templates / "report.html").write_text("{% extends \"base.html\" %}\n{%- import 'parts.html' as parts %}")
    (templates / "parts.html").write_text('{% include "base.html" %}')
    for name in ("base.html", "style.css", "overview.html"):
        (templates / name).write_text("")
    found = [path.name for path in bundle._templates(tmp_path)]
    assert found == ["base.html", "parts.html", "report.html", "style.css"]
