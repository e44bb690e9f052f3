"""What submitted code leaves behind is removed, however it was made."""

import os
import threading
from pathlib import Path

import pytest

from grader.sandbox.removal import remove

DEEPER_THAN_PATHS = 3000


def open_descriptors() -> int:
    return sum(1 for _ in Path("/proc/self/fd").iterdir())


@pytest.fixture
def deep(tmp_path: Path) -> Path:
    """Folders in folders, a file in each: deeper than a path can be long or Python recurses."""
    folder = tmp_path / "deep"
    folder.mkdir()
    at = os.open(folder, os.O_RDONLY)
    for _ in range(DEEPER_THAN_PATHS):
        os.mkdir("a", dir_fd=at)
        below = os.open("a", os.O_RDONLY, dir_fd=at)
        os.close(os.open("file", os.O_CREAT | os.O_WRONLY, dir_fd=below))
        os.close(at)
        at = below
    os.close(at)
    return folder


def test_a_folder_deeper_than_any_path_goes(deep: Path) -> None:
    remove(deep)
    assert not deep.exists()


def test_no_descriptor_is_held_for_a_level(deep: Path) -> None:
    before = open_descriptors()
    most, ended = [before], threading.Event()

    def watch() -> None:
        while not ended.is_set():
            most.append(open_descriptors())

    watcher = threading.Thread(target=watch)
    watcher.start()
    remove(deep)
    ended.set()
    watcher.join()
    assert max(most) <= before + 8


def test_what_lies_behind_a_link_stays(tmp_path: Path) -> None:
    treasure = tmp_path / "elsewhere"
    treasure.mkdir()
    (treasure / "kept").write_text("kept")
    folder = tmp_path / "scratch"
    (folder / "inner").mkdir(parents=True)
    (folder / "link").symlink_to(treasure)
    (folder / "inner" / "link").symlink_to(treasure / "kept")
    (folder / "dangling").symlink_to("nowhere")
    remove(folder)
    assert not folder.exists()
    assert (treasure / "kept").read_text() == "kept"


def test_folders_that_were_shut_go_too(tmp_path: Path) -> None:
    folder = tmp_path / "scratch"
    (folder / "shut" / "inner").mkdir(parents=True)
    (folder / "shut" / "file").write_text("x")
    (folder / "shut").chmod(0)
    remove(folder)
    assert not folder.exists()


def test_a_folder_that_is_gone_is_no_error(tmp_path: Path) -> None:
    remove(tmp_path / "never made")
