"""Where the programs of a PostgreSQL server lie on this machine. `python3 binaries.py` prints the folder, or fails."""

import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

PLACES = (
    ("/usr/lib/postgresql", "*/bin"),  # Debian and Ubuntu, which keep them off the path
    ("/usr", "pgsql-*/bin"),
    ("/opt/homebrew/opt", "postgresql*/bin"),
    ("/usr/local/opt", "postgresql*/bin"),
)
NEEDED = ("postgres", "initdb")


def folders() -> Iterator[Path]:
    """Where to look, the likeliest first."""
    if found := shutil.which("postgres"):
        yield Path(found).resolve().parent
    for root, pattern in PLACES:
        yield from sorted(Path(root).glob(pattern), key=_version, reverse=True)
    if config := shutil.which("pg_config"):
        told = subprocess.run([config, "--bindir"], capture_output=True, text=True, check=False).stdout.strip()
        if told:
            yield Path(told)


def find() -> Path | None:
    """The folder with the server, the newest one; None if there is none."""
    return next((folder for folder in folders() if all((folder / name).is_file() for name in NEEDED)), None)


def _version(folder: Path) -> list[int]:
    digits = "".join(char if char.isdigit() else " " for char in folder.parent.name)
    return [int(number) for number in digits.split()]


if __name__ == "__main__":
    if (folder := find()) is None:
        sys.exit("There is no PostgreSQL server on this machine.")
    sys.stdout.write(f"{folder}\n")
