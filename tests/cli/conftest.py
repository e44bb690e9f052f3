"""A runner for the command and a workspace to run it in."""

from collections.abc import Callable
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from grader.cli import main


@pytest.fixture
def runner() -> CliRunner:
    return CliRunner()


@pytest.fixture
def workspace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, made_places: None) -> Path:
    """An empty folder in which the commands of the made course run."""
    folder = tmp_path / "work"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def anatomy(workspace: Path, runner: CliRunner) -> Callable[..., Result]:
    """Run the command in the workspace: `anatomy("hint", "double")`."""
    return lambda *arguments: runner.invoke(main, arguments, prog_name="anatomy", catch_exceptions=False)
