"""Where torch, numpy and all they require lie, by what their installers wrote down."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Sequence
from importlib.metadata import Distribution
from pathlib import Path

ROOTS = ("torch", "numpy")
_NO_CODE = ("", "..", "__pycache__")
_NAME = re.compile(r"[A-Za-z0-9._-]+")
_REQUIRES = re.compile(r"^Requires-Dist: *(.+)$", re.MULTILINE)
"""Of a file in the form of an e-mail; reading it as one takes longer than all the rest."""


def package_entries(folders: Sequence[str], refused: frozenset[str]) -> list[str]:
    """The files and folders of these distributions in the folders of installed packages, and of whatever this process
    has imported from there. refused: top-level names that are never among them."""
    names = {name for known, distribution in _required(folders) for name in _top_level(known, distribution)}
    names |= set(_imported_from(folders))
    found = []
    for folder in map(Path, folders):
        for name in sorted(names - refused):
            # A distribution that keeps no list of files is known by its modules' names.
            found += [each for each in (folder / name, folder / f"{name}.py", folder / f"{name}.libs") if each.exists()]
    return [str(each) for each in found]


def _imported_from(folders: Sequence[str]) -> Iterator[str]:
    for name, module in list(sys.modules.items()):
        file = getattr(module, "__file__", None)
        if "." not in name and isinstance(file, str) and file.startswith(tuple(f"{folder}/" for folder in folders)):
            yield name


def _required(folders: Sequence[str]) -> Iterator[tuple[str, Distribution]]:
    """torch's and numpy's distributions and those that they require, by name. What is not installed is left out."""
    waiting, seen = list(ROOTS), set[str]()
    while waiting:
        name = waiting.pop()
        if name in seen:
            continue
        seen.add(name)
        distribution = next(iter(Distribution.discover(name=name, path=list(folders))), None)
        if distribution is None:
            continue
        yield name, distribution
        for requirement in _REQUIRES.findall(distribution.read_text("METADATA") or ""):
            if "extra ==" not in requirement and (match := _NAME.match(requirement)):
                waiting.append(re.sub(r"[-_.]+", "-", match[0]).lower())


def _top_level(known: str, distribution: Distribution) -> set[str]:
    """Names at the top of what a distribution has installed."""
    if record := distribution.read_text("RECORD"):
        names = {line.partition(",")[0].strip('"').partition("/")[0] for line in record.splitlines()}
        return {name for name in names if name not in _NO_CODE and not name.endswith((".pth", ".dist-info"))}
    listed = distribution.read_text("top_level.txt") or known.replace("-", "_")
    return set(listed.split())
