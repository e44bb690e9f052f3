"""The reviews ahead as an iCalendar file (RFC 5545) of whole days, which any calendar can read."""

from collections.abc import Iterable
from datetime import datetime, timedelta

import icalendar

from grader import __version__
from grader.course.model import Course
from grader.review.forecast import Coming

NAME = "Decoder anatomy"
_DOMAIN = "decoder-anatomy"


def calendar_bytes(ahead: Iterable[Coming], course: Course, now: datetime) -> bytes:
    """The bytes of an .ics file with one event a rung: UTF-8, lines of at most 75 octets that end in CR LF.

    An event is a date and no moment, so it stays on its day in any time zone. Its UID is made of lesson, cycle and
    rung: a calendar that reads a later file finds the same events again. `now` is the moment of writing, with its
    offset (DTSTAMP); nothing else depends on it.
    """
    calendar = icalendar.Calendar()
    calendar.add("prodid", f"-//decoder-anatomy//anatomy {__version__}//EN")
    calendar.add("version", "2.0")
    calendar.add("x-wr-calname", NAME)
    for each in ahead:
        calendar.add_component(_event(each, course, now))
    return bytes(calendar.to_ical())


def uid(each: Coming) -> str:
    """The name of an event for good."""
    step = f"repeat-{each.extension}" if each.extension else f"rung-{each.rung}"
    return f"{each.lesson}.cycle-{each.cycle}.{step}@{_DOMAIN}"


def _event(each: Coming, course: Course, now: datetime) -> icalendar.Event:
    title = course.lesson(each.lesson).title
    event = icalendar.Event()
    event.add("uid", uid(each))
    event.add("dtstamp", now)
    event.add("dtstart", each.due)
    event.add("dtend", each.due + timedelta(days=1))  # the first day after it
    event.add("summary", f"Review: {title} ({each.name})")
    event.add("description", f"Eight questions on what you wrote in this lesson:\nanatomy review {each.lesson}")
    event.add("transp", "TRANSPARENT")  # the day stays free for other appointments
    return event
