"""Where the course lies on this machine: beside the engine in a clone, inside it when installed from a wheel."""

import os
from collections.abc import Mapping
from pathlib import Path

from grader.errors import UserError

_ENGINE = Path(__file__).resolve().parent


def lessons_folder() -> Path:
    """The folder that holds `course.yaml`. Raises UserError when there is none."""
    installed = _ENGINE / "_data" / "lessons"
    clone = _ENGINE.parent / "lessons"
    for folder in (installed, clone):
        if (folder / "course.yaml").is_file():
            return folder
    raise UserError(
        f"There is no course at {clone / 'course.yaml'}. Install decoder-anatomy again, or restore lessons/."
    )


def engine_folder() -> Path:
    """The folder of the engine: suites, misconceptions, and what runs them."""
    return _ENGINE


def reference_folder() -> Path:
    """The folder of the answers, one file a lesson; in a clone and in a wheel alike it lies beside the engine."""
    return _ENGINE.parent / "reference"


def outline_folder() -> Path:
    """Where signatures and docstrings are read, one file a lesson: the answers, or in a student's bundle the stubs."""
    stubs = _ENGINE / "_data" / "bundle" / "stubs"
    return stubs if stubs.is_dir() else reference_folder()


def suites_folder() -> Path:
    """The folder of the hidden suites, `test_<slug>.py` each."""
    return _ENGINE / "suites"


def clone_folder() -> Path | None:
    """The root of the clone this engine runs from, or None when it was installed from a wheel."""
    root = _ENGINE.parent
    return root if (root / "pyproject.toml").is_file() and (root / "lessons").is_dir() else None


def expanded(path: str, variable: str) -> Path:
    """The path that a variable holds, `~` written out. Raises UserError for the home of nobody."""
    try:
        return Path(path).expanduser()
    except RuntimeError:
        raise UserError(f"{variable} is {path!r}, and there is no such user. Name a folder in full.") from None


def cache_folder(environ: Mapping[str, str] = os.environ) -> Path:
    """Where what can be found out again is kept: beside the learner's records when ANATOMY_HOME names their folder."""
    if home := environ.get("ANATOMY_HOME", "").strip():
        return expanded(home, "ANATOMY_HOME") / "cache"
    from platformdirs import user_cache_path  # not needed when the folder is named

    return user_cache_path("decoder-anatomy", appauthor=False)
