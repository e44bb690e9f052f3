"""The site as files: all pages are written first, then put in their place."""

from __future__ import annotations

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from grader.atomic import write_bytes
from grader.course.model import Course
from grader.errors import UserError
from grader.site.diagram.page import decoder_page
from grader.site.home import home_page
from grader.site.lesson import lesson_page
from grader.site.quiz.onpaper import static_quiz

if sys.platform != "win32":
    import fcntl

MANIFEST = ".anatomy-site"
"""Names what was written, a file a line: what may be replaced when the site is written again."""
UNFINISHED = ".anatomy-site.new"
"""The folder in which a site is written that is to replace an earlier one."""
INDEX = "index.html"
_PAGE = re.compile(r"[a-z0-9][a-z0-9_-]*\.html")
"""What a site's file is called. Whatever else a manifest names was never written by one, and is not removed."""


@dataclass(frozen=True, slots=True)
class Built:
    """What was written. size: in bytes."""

    folder: Path
    pages: int
    size: int


def site_pages(course: Course) -> dict[str, str]:
    """Every page by the name of its file. The same course makes the same pages, to the byte."""
    lessons = {f"{each.slug}.html": lesson_page(course, each, static_quiz(course, each)) for each in course.lessons}
    return {INDEX: home_page(course), "decoder.html": decoder_page(course), **lessons}


def build_site(folder: Path, course: Course) -> Built:
    """Write the site into a folder that is new, empty, or holds nothing but an earlier site.

    Raises UserError when the folder is no place for it; then it is as it was.
    """
    earlier = _earlier_site(folder)
    pages = site_pages(course)
    try:
        if earlier is None:
            _make(folder, pages)
        else:
            with _alone_in(folder):
                _renew(folder, pages, earlier)
    except OSError as error:
        raise UserError(f"{folder} cannot be written: {error.strerror or error}. Choose another folder.") from error
    return Built(folder, len(pages), sum(len(text.encode("utf-8")) for text in pages.values()))


def _earlier_site(folder: Path) -> set[str] | None:
    """The files of an earlier site in the folder; None where there is no folder yet."""
    try:
        if not folder.exists():
            return None
        if not folder.is_dir():
            raise UserError(f"{folder} is a file. Name a folder for the site.")
        with _alone_in(folder):
            found = {path.name for path in folder.iterdir()}
            known = {MANIFEST} if (folder / MANIFEST).is_file() else set()  # a pipe would be read for ever
            listed = (folder / MANIFEST).read_text("utf-8", "replace").splitlines() if known else []
            earlier = {name for name in listed if _PAGE.fullmatch(name) and not (folder / name).is_dir()}
            if (folder / UNFINISHED).is_dir() and not (folder / UNFINISHED).is_symlink():
                known.add(UNFINISHED)
    except OSError as error:
        raise UserError(f"{folder} cannot be read: {error.strerror or error}. Choose another folder.") from error
    if other := sorted(found - earlier - known):
        more = f" and {len(other) - 1} more" if len(other) > 1 else ""
        raise UserError(
            f"{folder} holds {other[0]}{more}, which no earlier site left there. Choose a new or empty folder; "
            "nothing was written."
        )
    return earlier & found


@contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Whoever else writes a site into the folder has ended, or waits until this has."""
    if sys.platform == "win32":
        yield
        return
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        with suppress(OSError):  # some network file systems have no locks
            fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _make(folder: Path, pages: Mapping[str, str]) -> None:
    """The folder appears with all that is in it."""
    place = folder.absolute()
    place.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix=f".{place.name}.", dir=place.parent) as beside:
        fresh = Path(beside) / "site"  # that of the temporary folder itself would be closed to others
        _write(fresh, pages)
        fresh.replace(place)


def _renew(folder: Path, pages: Mapping[str, str], earlier: set[str]) -> None:
    """Each file is replaced whole, and only when all are written. The folder itself stays: something may serve it."""
    fresh = folder / UNFINISHED
    shutil.rmtree(fresh, ignore_errors=True)
    try:
        _write(fresh, pages)
        # Should this be stopped on the way, the next run knows the files of both.
        write_bytes(folder / MANIFEST, _manifest(earlier | pages.keys()), lasting=False)
        for name in pages:
            (fresh / name).replace(folder / name)
        for name in earlier - pages.keys():
            (folder / name).unlink(missing_ok=True)
        (fresh / MANIFEST).replace(folder / MANIFEST)
    finally:
        shutil.rmtree(fresh, ignore_errors=True)


def _write(fresh: Path, pages: Mapping[str, str]) -> None:
    fresh.mkdir()
    for name, text in pages.items():
        (fresh / name).write_text(text, encoding="utf-8", newline="\n")
    (fresh / MANIFEST).write_bytes(_manifest(pages))


def _manifest(names: Iterable[str]) -> bytes:
    return "".join(f"{name}\n" for name in sorted(names)).encode("utf-8")
