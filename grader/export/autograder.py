"""The zip that Gradescope makes an autograder of: the whole course, and two scripts that install and run it.

Made twice from the same files it is the same, byte for byte.
"""

from __future__ import annotations

import io
import os
import stat
import zipfile
from collections.abc import Iterator
from pathlib import Path

from grader.errors import UserError
from grader.export.task import NAME, Task

FOLDERS = ("grader", "lessons", "reference", "student")
FILES = ("LICENSE", "README.md", "pyproject.toml")
SCRIPTS = ("run_autograder", "setup.sh")
_CONTAINER = Path(__file__).parent / "container"
_LONG_AGO = (1980, 1, 1, 0, 0, 0)
_ORDINARY, _RUNNABLE, _PRIVATE = 0o644, 0o755, 0o600
_LEFT_OUT = frozenset({"__pycache__", "_data"})


def autograder_zip(root: Path, task: Task) -> bytes:
    """The zip of the course whose clone lies at `root`. Raises UserError where a part of it is missing."""
    missing = [name for name in (*FOLDERS, *FILES) if not (root / name).exists()]
    if missing:
        raise UserError(
            f"{root} is no complete clone of the course: {', '.join(missing)} is missing. The autograder is installed "
            "from its sources; run this command in a clone."
        )
    members = {NAME: (task.to_json(), _PRIVATE)}
    members |= {name: (_read(_CONTAINER / name), _RUNNABLE) for name in SCRIPTS}
    members |= {name: (_read(root / name), _ORDINARY) for name in FILES}
    for folder in FOLDERS:
        for path in _files(root / folder):
            mode = _RUNNABLE if path.name in SCRIPTS else _ORDINARY
            members[path.relative_to(root).as_posix()] = (_read(path), mode)
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, (content, mode) in sorted(members.items()):
            entry = zipfile.ZipInfo(name, _LONG_AGO)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.create_system = 3  # Unix: else its modes are not read
            entry.external_attr = (stat.S_IFREG | mode) << 16
            archive.writestr(entry, content)
    return buffer.getvalue()


def _files(folder: Path) -> Iterator[Path]:
    """What belongs to the course in there: nothing compiled, hidden or linked."""
    for parent, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if name not in _LEFT_OUT and not name.startswith(".")]
        for name in files:
            path = Path(parent, name)
            if not name.startswith(".") and path.suffix != ".pyc" and not path.is_symlink():
                yield path


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UserError(f"{path} cannot be read: {error.strerror}. Restore the clone.") from None
