"""Saving a module is noticed, by whatever way an editor writes it, also after the folder was away."""

from __future__ import annotations

import queue
import threading
import time

import pytest

from grader.site.serve import watch as watching
from grader.site.serve.live import Live
from grader.site.serve.modules import Modules
from grader.site.serve.watch import Watch

SECONDS = 20


@pytest.fixture
def folder(tmp_path, made_course, monkeypatch):
    monkeypatch.setattr(watching, "LOOK_MS", 50)
    made = tmp_path / "student"
    made.mkdir()
    for slug in ("first", "second"):
        (made / f"{slug}.py").write_text("x = 1\n")
    return made


class Heard(Live):
    """Tells what is wrong with the folder."""

    def __init__(self):
        super().__init__()
        self.told: queue.Queue[str | None] = queue.Queue()
        self.returned = threading.Event()

    def fault(self, source, says):
        if self._faults.get(source) != says:
            self.told.put(says)
        super().fault(source, says)


@pytest.fixture
def live():
    return Heard()


@pytest.fixture
def saved(folder, made_course, live):
    told: queue.Queue[list[str]] = queue.Queue()
    watch = Watch(
        Modules(folder, made_course), live, saved=lambda slugs: told.put(list(slugs)), returned=live.returned.set
    )
    watch.start()
    yield lambda: told.get(timeout=SECONDS)
    watch.close()


def test_a_file_that_is_written_over(folder, saved):
    (folder / "first.py").write_text("x = 2222\n")
    assert saved() == ["first"]


def replace(folder, name, text):
    draft = folder / f".{name}.draft"
    draft.write_text(text)
    draft.rename(folder / name)


def test_files_that_are_replaced_by_others_are_told_once_each(folder, saved):
    for name, slug in [("second.py", "second"), ("first.py", "first"), ("second.py", "second")]:
        replace(folder, name, "x = 3\n")
        assert saved() == [slug]


def test_a_file_that_is_emptied_before_it_is_written_is_told_when_it_is_whole(folder, saved):
    with (folder / "first.py").open("w") as file:
        time.sleep(0.1)  # an editor between two steps: longer than the watch waits for more of them
        file.write("x = 7\n")
    assert saved() == ["first"]
    replace(folder, "second.py", "x = 8\n")
    assert saved() == ["second"]


def test_a_file_that_is_taken_away(folder, saved):
    (folder / "first.py").unlink()
    assert saved() == ["first"]


def test_files_that_are_no_lessons_are_passed_over(folder, saved):
    (folder / "notes.txt").write_text("x")
    (folder / "third.py").write_text("x")
    (folder / "second.py").write_text("x = 22\n")
    assert saved() == ["second"]


def test_a_folder_that_is_away_for_a_while_is_told_and_what_changed_in_it_is_found(folder, saved, live):
    away = folder.rename(folder.with_name("away"))
    assert f"The folder {folder} is not there" in live.told.get(timeout=SECONDS)
    (away / "second.py").write_text("x = 4444\n")
    away.rename(folder)
    assert saved() == ["second"]
    assert live.told.get(timeout=SECONDS) is None
    assert live.returned.wait(SECONDS)
    (folder / "first.py").write_text("x = 55\n")
    assert saved() == ["first"]


def test_another_folder_of_that_name_is_watched_in_its_place(folder, saved):
    other = folder.with_name("other")
    other.mkdir()
    for slug in ("first", "second"):
        (other / f"{slug}.py").write_text("y = 1\n")
    folder.rename(folder.with_name("old"))
    other.rename(folder)
    assert saved() == ["first", "second"]
    replace(folder, "second.py", "y = 2\n")
    assert saved() == ["second"]


def test_where_the_system_has_no_watches_left_the_files_are_looked_at(folder, made_course, live, monkeypatch):
    real, asked = watching.watchfiles.watch, []

    def watch(*args, force_polling, **kwargs):
        asked.append(force_polling)
        if not force_polling:
            raise OSError(28, "OS file watch limit reached")
        return real(*args, force_polling=True, poll_delay_ms=20, **kwargs)

    monkeypatch.setattr(watching.watchfiles, "watch", watch)
    told: queue.Queue[list[str]] = queue.Queue()
    watch = Watch(Modules(folder, made_course), live, saved=lambda slugs: told.put(list(slugs)), returned=lambda: None)
    watch.start()
    (folder / "first.py").write_text("x = 2222\n")
    assert told.get(timeout=SECONDS) == ["first"]
    watch.close()
    assert asked[:2] == [None, True]


def test_the_same_text_has_the_same_digest_and_is_read_once(folder, made_course):
    modules = Modules(folder, made_course)
    before = modules.sources()
    assert modules.sources() is before
    (folder / "first.py").write_text("x = 1\n")
    assert modules.sources().digest == before.digest
    (folder / "first.py").write_text("x = 9\n")
    assert modules.sources().digest != before.digest
    assert modules.sources().texts == {"first": "x = 9\n", "second": "x = 1\n"}
