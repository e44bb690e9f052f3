"""Where a learner stands is kept, and says the same as the log."""

import os
from pathlib import Path

import pytest
from made_log import COURSE, complete, day, event, graded, review, void

from grader.records.event import Event, to_line
from grader.records.fold import fold
from grader.records.log import Log
from grader.review.history import fold_reviews
from grader.review.kept import Standing, keep_standing, recall_standing, standing_of, standing_stamps
from grader.review.ladder import place

PAUSED = event("pause", 20, lesson="heads")
EVENTS: list[Event] = [
    graded(0, norms_a="passed", misconception="norms.a.adds-two"),
    graded(0.1, norms_b="inherited", heads_c="partial"),
    event("hint", 0.2, exercise="heads.c", number=2),
    event("setting", 0.3, name="rollover_hour", value=2),
    complete(2, "heads"),
    complete(3, "lab"),
    *review(1),
    *review(3, missed=("one", "two")),
    *review(3, practice=True),
    *review(30, missed=("one", "two")),
    *review(5, lesson="heads"),
    event("restart", 40, lesson="lab"),
    *review(41, lesson="lab"),
    PAUSED,
]


@pytest.fixture
def log(home: Path) -> Log:
    """A log with a long history, written by one device."""
    log = Log(home)
    log.folder.mkdir(parents=True)
    (log.folder / "laptop.jsonl").write_text("".join(map(to_line, EVENTS)))
    return log


def standing(log: Log) -> Standing:
    events = log.read().events
    return standing_of(fold(events, COURSE), fold_reviews(events, COURSE))


def kept(log: Log, *, settled: bool = True) -> Standing | None:
    """The standing of the log as it is now, if what is kept can be believed."""
    cache = log.home / "cache"
    for path in cache.iterdir() if settled else ():
        now = path.stat().st_mtime_ns
        os.utime(path, ns=(now, now + 60_000_000_000))
    return recall_standing(log, standing_stamps(log, COURSE), cache)


@pytest.fixture
def remembered(log: Log) -> Log:
    """The same log, with its standing kept."""
    keep_standing(standing(log), log, standing_stamps(log, COURSE), log.home / "cache")
    return log


def test_what_is_kept_is_what_was_folded(remembered: Log) -> None:
    assert kept(remembered) == standing(remembered)


def test_every_lesson_stands_where_the_whole_history_puts_it_on_every_day(remembered: Log) -> None:
    whole, short = fold_reviews(EVENTS, COURSE), kept(remembered)
    assert short is not None
    for n in range(-1, 80):
        for lesson in COURSE.lessons:
            assert place(short.ladders.lessons[lesson.slug], day(n)) == place(whole.lessons[lesson.slug], day(n))
    assert (short.ladders.last_day, short.ladders.rollover_hour) == (whole.last_day, 2)
    assert short.ladders.learner == "laptop"


def test_a_new_event_is_seen(remembered: Log) -> None:
    with (remembered.folder / "laptop.jsonl").open("a") as file:
        file.write(to_line(void(PAUSED, 21)))
    assert kept(remembered) is None


def test_the_log_of_another_machine_is_seen(remembered: Log) -> None:
    (remembered.folder / "desktop.jsonl").write_text(to_line(complete(1, device="desktop")))
    assert kept(remembered) is None


def test_a_log_that_was_edited_is_seen(remembered: Log) -> None:
    path = remembered.folder / "laptop.jsonl"
    path.write_text(path.read_text().replace('"passed"', '"failed"'))
    assert kept(remembered) is None


def test_a_standing_kept_within_a_tick_of_an_event_is_not_believed(remembered: Log) -> None:
    assert kept(remembered, settled=False) is None


def test_homes_do_not_share_a_standing(remembered: Log, tmp_path: Path) -> None:
    other = Log(tmp_path / "other")
    other.folder.mkdir(parents=True)
    assert recall_standing(other, standing_stamps(other, COURSE), remembered.home / "cache") is None
