"""The calendar is read back by another program's rules, and its days stay where they are."""

from datetime import UTC, date, datetime, timedelta, timezone
from zoneinfo import ZoneInfo

import icalendar
import pytest
from made_log import COURSE, DAY_0, complete, day, event, review

from grader.records.event import Event
from grader.review.calendar import calendar_bytes
from grader.review.forecast import coming
from grader.review.history import fold_reviews

NOW = datetime(2026, 3, 1, 23, 30, tzinfo=ZoneInfo("Pacific/Auckland"))


def written(*events: Event, today: date = DAY_0, now: datetime = NOW) -> bytes:
    return calendar_bytes(coming(fold_reviews(events, COURSE), today), COURSE, now)


def events_in(content: bytes) -> list[icalendar.Event]:
    return list(icalendar.Calendar.from_ical(content).walk("VEVENT"))


def test_every_rung_is_an_event_of_one_whole_day() -> None:
    found = events_in(written(complete()))
    assert [event["DTSTART"].dt for event in found] == [day(n) for n in (1, 3, 7, 14, 30)]
    assert all(type(event["DTSTART"].dt) is date for event in found)
    assert all(event["DTEND"].dt - event["DTSTART"].dt == timedelta(days=1) for event in found)
    assert str(found[1]["SUMMARY"]) == "Review: norms (rung 2 of 5)"
    assert "anatomy review norms" in str(found[1]["DESCRIPTION"])


@pytest.mark.parametrize("zone", ["Pacific/Kiritimati", "Europe/Berlin", "America/Los_Angeles", "UTC"])
def test_no_zone_moves_a_day(zone: str) -> None:
    content = written(complete(), now=NOW.astimezone(ZoneInfo(zone)))
    assert b"\r\nDTSTART;VALUE=DATE:20260302\r\nDTEND;VALUE=DATE:20260303\r\n" in content
    assert b"TZID" not in content
    assert content == written(complete())


def test_the_moment_of_writing_is_in_utc_and_nothing_else_depends_on_it() -> None:
    later = NOW + timedelta(days=1)
    assert b"\r\nDTSTAMP:20260301T103000Z\r\n" in written(complete())
    assert written(complete(), now=later) == written(complete()).replace(b"20260301T103000Z", b"20260302T103000Z")


def test_a_review_has_the_same_uid_whenever_it_is_written() -> None:
    first = events_in(written(complete()))
    later = events_in(written(complete(), *review(1), today=day(2)))
    assert [event["UID"] for event in first][1:] == [event["UID"] for event in later]
    assert first[0]["UID"] == "norms.cycle-1.rung-1@decoder-anatomy"


def test_uids_tell_lessons_cycles_rungs_and_repeats_apart() -> None:
    history = [complete(0, "norms"), complete(0, "heads"), event("restart", 40, lesson="norms")]
    failed = review(30, missed=("one", "two"), lesson="heads")
    uids = [str(event["UID"]) for event in events_in(written(*history, *failed, today=day(40)))]
    assert len(set(uids)) == len(uids) == 6
    assert "norms.cycle-2.rung-1@decoder-anatomy" in uids
    assert "heads.cycle-1.repeat-1@decoder-anatomy" in uids


def test_lines_are_folded_at_75_octets_and_end_in_cr_lf() -> None:
    content = written(complete())
    assert content.endswith(b"END:VCALENDAR\r\n")
    assert content.count(b"\n") == content.count(b"\r\n")
    assert max(map(len, content.split(b"\r\n"))) <= 75


def test_a_title_may_hold_whatever_a_calendar_takes_for_punctuation(monkeypatch: pytest.MonkeyPatch) -> None:
    title = "Ä; b, c\\d: " + "“ü”" * 40
    monkeypatch.setattr("grader.course.model.Course.lesson", lambda course, slug: _Titled(title))
    content = written(complete())
    assert str(events_in(content)[0]["SUMMARY"]) == f"Review: {title} (rung 1 of 5)"
    assert max(map(len, content.split(b"\r\n"))) <= 75


class _Titled:
    def __init__(self, title: str) -> None:
        self.title = title


def test_an_offset_of_half_an_hour_changes_nothing() -> None:
    offset = timezone(timedelta(hours=-9, minutes=-30))
    assert written(complete(), now=NOW.astimezone(offset)) == written(complete(), now=NOW.astimezone(UTC))
