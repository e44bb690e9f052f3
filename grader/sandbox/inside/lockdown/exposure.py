"""What a worker may read: the standard library, torch and what torch needs, shared libraries. Nothing by default.

Our own packages may lie beside torch in one `site-packages`, and that folder in the standard library's, so installed
packages are named one by one, and a folder that has packages beneath it is opened without them.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

PACKAGE_FOLDERS = ("site-packages", "dist-packages")
DEVICES = ("/dev/null", "/dev/zero", "/dev/urandom")
_SYSTEM_LIBRARIES = ("/lib", "/lib64", "/usr/lib", "/usr/lib64")
_LOADER_CACHE = "/etc/ld.so.cache"


@dataclass(frozen=True)
class Tree:
    """A file or folder that may be read. hidden: folders beneath it that may not."""

    path: str
    hidden: tuple[str, ...] = ()

    def openings(self) -> Iterator[str]:
        """The largest files and folders that leave out what is hidden."""
        if not self.hidden:
            yield self.path
            return
        for entry in os.scandir(self.path):
            hidden = tuple(each for each in self.hidden if is_within(each, entry.path))
            if entry.path not in hidden:
                yield from Tree(entry.path, hidden).openings()


def readable_trees(library: Sequence[str], packages: Sequence[str], secret: Sequence[str]) -> list[Tree]:
    """All that may be read, outer folders before inner ones.

    library: folders of the standard library; packages: files and folders of the installed packages that workers need;
    secret: folders that must stay out of reach. Raises ValueError if one of these would lie within reach.
    """
    paths = [path for path in library if Path(path).is_dir()] + list(packages)
    paths += _loaded_libraries(paths)
    if Path(_LOADER_CACHE).is_file():
        paths.append(_LOADER_CACHE)
    real = [os.path.realpath(path) for path in paths]
    trees: list[Tree] = []
    for path in sorted({*paths, *real}):
        if not any(_is_open(tree, path) for tree in trees):
            trees.append(Tree(path, _package_folders_beneath(path)))
    for folder in secret:
        where = os.path.realpath(folder)
        if nearest := next((tree.path for tree in trees if _is_open(tree, where)), None):
            raise ValueError(f"{where} lies within {nearest}, which submitted code may read")
    return trees


def is_within(path: str, folder: str) -> bool:
    """Whether a path is a folder or lies beneath it, by their spelling."""
    return path == folder or path.startswith(folder.rstrip("/") + "/")


def _is_open(tree: Tree, path: str) -> bool:
    return is_within(path, tree.path) and not any(is_within(path, hidden) for hidden in tree.hidden)


def _package_folders_beneath(path: str) -> tuple[str, ...]:
    """Folders of installed packages in a library's folder: its own, and those of Pythons whose libraries lie in it."""
    folder = Path(path)
    if not folder.is_dir() or folder.name in PACKAGE_FOLDERS or folder.parent.name in PACKAGE_FOLDERS:
        return ()
    found = [folder / name for name in PACKAGE_FOLDERS]
    found += [each for name in PACKAGE_FOLDERS for each in folder.glob(f"python*/{name}")]
    return tuple(sorted(str(each) for each in found if each.is_dir()))


def _loaded_libraries(known: Sequence[str]) -> Iterator[str]:
    """Shared libraries of this process from elsewhere: the system's by their folder, others one by one."""
    folders = set()
    for line in Path("/proc/self/maps").read_text().splitlines():
        path = line[line.find("/") :] if "/" in line else ""
        if ".so" not in Path(path).name or any(is_within(path, each) for each in known):
            continue
        folder = str(Path(path).parent)
        folders.add(folder if any(is_within(folder, each) for each in _SYSTEM_LIBRARIES) else path)
    yield from sorted(folders)
