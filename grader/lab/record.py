"""The record of one run of an experiment: JSON, written once, whole or not at all, and never over another one.

    {"format": "decoder-anatomy lab record", "version": 1, "experiment": ..., "seed": ..., "made": time with offset,
     "question", "baseline", "changed", "expected": sentences, "versions": {"python", "torch", "numpy",
     "decoder-anatomy"}, "machine": {"system", "cores", "threads"}, "settings": {...},
     "measured": {table: [row, ...]}, "timing": {"seconds", "peak_process_mib", table: [row, ...]},
     "plots": [file names], "sha256": of all the rest}

Two runs with one seed on one machine have the same `measured`. The digest finds accidents; it is no protection.
"""

import contextlib
import hashlib
import json
import math
import os
import re
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Any

from grader.errors import UserError

FORMAT, VERSION = "decoder-anatomy lab record", 1
FOLDER = "lab"
MAX_BYTES = 5_000_000
_NAME = re.compile(r"\d{8}-\d{6}(-\d{2})?-[a-z]+-seed\d+\.json")
_KEYS = {
    "experiment": str, "seed": int, "made": str, "question": str, "baseline": str, "changed": str, "expected": str,
    "versions": dict, "machine": dict, "settings": dict, "measured": dict, "timing": dict, "plots": list,
}  # fmt: skip
_SEARCHED = ("seed", "machine", "settings", "measured", "timing")


class BadRecord(UserError):
    """A file that should be a record is none, or is damaged."""


@dataclass(frozen=True, slots=True)
class RecordedNumber:
    """A number of a record and where it stands in it, such as `measured.summary[3].loss`."""

    value: float
    place: str
    record: str


@dataclass(frozen=True, slots=True)
class Record:
    """A record as it was read. `content` holds every field but the digest."""

    path: Path
    content: Mapping[str, Any]

    @property
    def experiment(self) -> str:
        return str(self.content["experiment"])

    def numbers(self) -> Iterator[RecordedNumber]:
        """Every number in it: the seed, the machine's, the settings, and all that was measured or timed."""
        for field in _SEARCHED:
            yield from _numbers(self.content[field], field, self.path.name)


def stem(made: datetime, experiment: str, seed: int, again: int = 0) -> str:
    """The name of a run's files without the ending: names sort by time. again: of several in one second."""
    repeated = f"-{again + 1:02d}" if again else ""
    return f"{made:%Y%m%d-%H%M%S}{repeated}-{experiment}-seed{seed}"


def is_record_name(name: str) -> bool:
    """Whether a file of this name is, by its name, a record."""
    return _NAME.fullmatch(name) is not None


def encode(content: Mapping[str, Any]) -> bytes:
    """The file's bytes. Raises ValueError for a number that JSON cannot hold."""
    whole = {"format": FORMAT, "version": VERSION, **content}
    return (json.dumps(whole | {"sha256": _digest(whole)}, indent=1, allow_nan=False) + "\n").encode()


def write_new(path: Path, content: bytes) -> bool:
    """Put a whole file at `path`, or nothing; False if something has that name already. Raises UserError."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        descriptor, name = tempfile.mkstemp(prefix=".lab-", dir=path.parent)
    except (FileExistsError, NotADirectoryError):
        raise UserError(
            f"{path.parent} cannot be a folder: a file is in the way. Name another one with --out."
        ) from None
    except OSError as error:
        raise _unwritable(path.parent, error) from None
    fresh = Path(name)
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(content)
            file.flush()
            os.fsync(file.fileno())
        fresh.chmod(0o644)
        return _name_it(fresh, path)
    except OSError as error:
        raise _unwritable(path, error) from None
    finally:
        fresh.unlink(missing_ok=True)


def read(path: Path) -> Record:
    """Read a record. Raises BadRecord, with what is wrong with it."""
    try:
        with path.open("rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except OSError as error:
        raise BadRecord(f"{path.name} cannot be read ({error.strerror or error}).") from None
    if len(raw) > MAX_BYTES:
        raise BadRecord(f"{path.name} is larger than any record.")
    try:
        whole = json.loads(raw)
    except (ValueError, RecursionError):
        raise BadRecord(f"{path.name} is damaged: it is not JSON. Run the experiment again.") from None
    if not isinstance(whole, dict) or whole.get("format") != FORMAT:
        raise BadRecord(f"{path.name} is no record of the lab.")
    if whole.get("version") != VERSION:
        raise BadRecord(f"{path.name} has version {whole.get('version')!r}; this program reads version {VERSION}.")
    digest = whole.pop("sha256", None)
    wrong = [key for key, kind in _KEYS.items() if not isinstance(whole.get(key), kind)]
    if wrong:
        raise BadRecord(f"{path.name} is damaged: {', '.join(wrong)} is missing or wrong. Run the experiment again.")
    if digest != _digest(whole):
        raise BadRecord(f"{path.name} was changed after it was written. Run the experiment again.")
    return Record(path, whole)


def find(folder: Path) -> list[Path]:
    """The records in a folder by their names, the newest last; none if there is no such folder."""
    try:
        return sorted(path for path in folder.iterdir() if is_record_name(path.name))
    except (FileNotFoundError, NotADirectoryError):
        return []
    except OSError as error:
        raise UserError(f"{folder} cannot be read ({error.strerror or error}). Make it readable.") from None


def _digest(whole: Mapping[str, Any]) -> str:
    return hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()


def _name_it(fresh: Path, path: Path) -> bool:
    """Give a finished file its name unless something has it."""
    try:
        path.hardlink_to(fresh)
    except FileExistsError:
        return False
    except OSError:
        # Some file systems have no hard links; there the name is claimed first, then filled.
        with contextlib.suppress(FileExistsError):
            path.touch(exist_ok=False)
            fresh.replace(path)
            return True
        return False
    return True


def _unwritable(place: Path, error: OSError) -> UserError:
    return UserError(
        f"{place} cannot be written ({error.strerror or error}). Make it writable, or name another folder with --out."
    )


def _numbers(value: Any, place: str, record: str) -> Iterator[RecordedNumber]:
    if isinstance(value, bool):
        return
    if isinstance(value, int | float):
        if math.isfinite(value):
            yield RecordedNumber(float(value), place, record)
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield from _numbers(inner, f"{place}.{key}", record)
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from _numbers(inner, f"{place}[{number}]", record)
