"""`anatomy site`: what it writes, where it refuses to, and that it never leaves half of it."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from grader.cli import main
from grader.course.load import load_course
from grader.site import build
from grader.site.build import MANIFEST, UNFINISHED, build_site

PAGES = {"index.html": "home", "decoder.html": "the decoder", "first.html": "one"}
WHOLE = PAGES | {MANIFEST: "decoder.html\nfirst.html\nindex.html\n"}


@pytest.fixture
def anatomy(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Result]:
    """Run the command with a few short pages in place of the course's."""
    monkeypatch.setattr(build, "site_pages", lambda course: PAGES)
    return lambda *arguments: CliRunner().invoke(main, [str(each) for each in arguments], prog_name="anatomy")


def contents(folder: Path) -> dict[str, str]:
    return {path.name: path.read_text(encoding="utf-8") for path in folder.iterdir()}


def test_it_writes_every_page_and_says_which_one_to_open(anatomy: Callable[..., Result], tmp_path: Path) -> None:
    folder = tmp_path / "deep" / "site"
    result = anatomy("site", folder)
    assert contents(folder) == WHOLE
    assert result.output == f"Wrote 3 pages, 0.0 MB. Open this one in a browser:\n  {folder / 'index.html'}\n"
    assert result.exit_code == 0
    assert [path.name for path in folder.parent.iterdir()] == ["site"]


def test_others_may_read_it_if_the_account_says_so(anatomy: Callable[..., Result], tmp_path: Path) -> None:
    before = os.umask(0o022)
    try:
        anatomy("site", tmp_path / "site")
    finally:
        os.umask(before)
    assert (tmp_path / "site").stat().st_mode & 0o777 == 0o755
    assert (tmp_path / "site" / "index.html").stat().st_mode & 0o777 == 0o644


def test_an_empty_folder_is_filled(anatomy: Callable[..., Result], tmp_path: Path) -> None:
    (tmp_path / "site").mkdir()
    assert anatomy("site", tmp_path / "site").exit_code == 0
    assert contents(tmp_path / "site") == WHOLE


def test_an_earlier_site_is_replaced_and_its_folder_stays(anatomy: Callable[..., Result], tmp_path: Path) -> None:
    folder = tmp_path / "site"
    anatomy("site", folder)
    (folder / "index.html").write_text("old", encoding="utf-8")
    (folder / "gone.html").write_text("a lesson of an earlier course", encoding="utf-8")
    (folder / MANIFEST).write_text("decoder.html\nfirst.html\ngone.html\nindex.html\n", encoding="utf-8")
    before = folder.stat().st_ino
    assert anatomy("site", folder).exit_code == 0
    assert contents(folder) == WHOLE
    assert folder.stat().st_ino == before


def test_a_run_that_was_killed_is_made_good_by_the_next(anatomy: Callable[..., Result], tmp_path: Path) -> None:
    folder = tmp_path / "site"
    anatomy("site", folder)
    (folder / UNFINISHED).mkdir()
    (folder / UNFINISHED / "index.html").write_text("half", encoding="utf-8")
    assert anatomy("site", folder).exit_code == 0
    assert contents(folder) == WHOLE


@pytest.mark.parametrize("site_before", [False, True])
def test_a_folder_with_anything_else_in_it_is_refused(
    site_before: bool, anatomy: Callable[..., Result], tmp_path: Path
) -> None:
    folder = tmp_path / "site"
    folder.mkdir()
    if site_before:
        anatomy("site", folder)
    (folder / "thesis.tex").write_text("mine", encoding="utf-8")
    before = contents(folder)
    result = anatomy("site", folder)
    assert result.exit_code == 2
    assert result.output == (
        f"Error: {folder} holds thesis.tex, which no earlier site left there. Choose a new or empty folder; "
        "nothing was written.\n"
    )
    assert contents(folder) == before


@pytest.mark.parametrize("name", ["thesis.tex", "Notes.html", ".git", "../../outside.html", "sub/page.html"])
def test_a_manifest_cannot_have_a_file_removed_that_is_no_page(
    name: str, anatomy: Callable[..., Result], tmp_path: Path
) -> None:
    folder = tmp_path / "deep" / "site"
    anatomy("site", folder)
    mine = folder / name
    mine.parent.mkdir(exist_ok=True)
    mine.write_text("mine", encoding="utf-8")
    (folder / MANIFEST).write_text(f"decoder.html\nfirst.html\nindex.html\nsub\n{name}\n", encoding="utf-8")
    result = anatomy("site", folder)
    assert result.exit_code == (0 if ".." in name else 2)
    assert mine.read_text(encoding="utf-8") == "mine"


@pytest.mark.parametrize("name", ["first.html", MANIFEST, UNFINISHED])
def test_what_stands_in_the_way_of_a_file_is_refused_before_anything_is_written(
    name: str, anatomy: Callable[..., Result], tmp_path: Path
) -> None:
    folder = tmp_path / "site"
    anatomy("site", folder)
    (folder / "index.html").write_text("old", encoding="utf-8")
    (folder / name).unlink(missing_ok=True)
    if name == UNFINISHED:
        (folder / name).symlink_to(tmp_path)
    elif name == MANIFEST:
        os.mkfifo(folder / name)
    else:
        (folder / name).mkdir()
    result = anatomy("site", folder)
    assert result.exit_code == 2
    assert "nothing was written" in result.output
    assert (folder / "index.html").read_text(encoding="utf-8") == "old"


def test_two_that_write_into_one_folder_take_turns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "site"
    folder.mkdir()
    gate = threading.Barrier(4)

    def pages(_: object) -> dict[str, str]:
        gate.wait(60)
        return {f"page-{number}.html": "text" for number in range(100)} | PAGES

    monkeypatch.setattr(build, "site_pages", pages)
    with ThreadPoolExecutor(4) as pool:
        for done in [pool.submit(build_site, folder, load_course()) for _ in range(4)]:
            assert done.result().pages == 103
    assert len(contents(folder)) == 104
    assert UNFINISHED not in contents(folder)


def test_a_file_is_no_folder(anatomy: Callable[..., Result], tmp_path: Path) -> None:
    (tmp_path / "site").write_text("", encoding="utf-8")
    result = anatomy("site", tmp_path / "site")
    assert (result.exit_code, result.output) == (2, f"Error: {tmp_path}/site is a file. Name a folder for the site.\n")


def test_a_place_that_cannot_be_written_is_said_in_one_sentence(anatomy: Callable[..., Result], tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    result = anatomy("site", tmp_path / "file" / "site")
    assert result.exit_code == 2
    assert result.output.startswith(f"Error: {tmp_path}/file/site cannot be ")
    assert result.output.count("\n") == 1


@pytest.mark.parametrize("site_before", [False, True])
def test_when_writing_fails_all_is_as_it_was(
    site_before: bool, anatomy: Callable[..., Result], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / "pages" / "site"
    folder.parent.mkdir()
    if site_before:
        anatomy("site", folder)
    before = {path: path.read_bytes() for path in folder.parent.rglob("*") if path.is_file()}
    write, written = Path.write_text, []

    def full(path: Path, *arguments: object, **named: object) -> int:
        written.append(path)
        if len(written) == 2:
            raise OSError(28, "No space left on device")
        return write(path, *arguments, **named)

    monkeypatch.setattr(Path, "write_text", full)
    result = anatomy("site", folder)
    assert (result.exit_code, len(written)) == (2, 2)
    assert result.output == f"Error: {folder} cannot be written: No space left on device. Choose another folder.\n"
    assert {path: path.read_bytes() for path in folder.parent.rglob("*") if path.is_file()} == before


def test_the_pages_are_made_before_anything_is_touched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fails(course: object) -> dict[str, str]:
        raise RuntimeError("a page cannot be made")

    folder = tmp_path / "pages"
    folder.mkdir()
    monkeypatch.setattr(build, "site_pages", fails)
    with pytest.raises(RuntimeError):
        build_site(folder / "site", load_course())
    assert [*folder.iterdir()] == []
