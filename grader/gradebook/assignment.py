"""An assignment: what is asked, until when, and what being late costs. Instructors write it as YAML."""

from __future__ import annotations

import re
import stat
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

from yaml.nodes import MappingNode, ScalarNode

from grader.course import yaml12
from grader.course.mistakes import Mistake, Mistakes
from grader.course.model import Course
from grader.course.reader import Table, kind_of, nearest, read_table
from grader.gradebook.late import NOTHING, LatePolicy
from grader.gradebook.moments import local_moment, told, zone_of
from grader.gradebook.texts import quoted

ALL = "all"
NONE = "none"
WHOLE_COURSE = "course"
LONGEST_ID = 64

_KEYS = ("id", "title", "lessons", "due", "zone", "late")
_LATE_KEYS = ("per_day", "grace", "cut_off", "least")
_ID = re.compile(r"[a-z0-9]+(?:[-_.][a-z0-9]+)*")
_LONGEST_FILE = 65_536
_MOST_DAYS, _MOST_MINUTES = 3650, 10_080
_LATE_ADVICE = "write `none`, or a table like {per_day: 10, grace: 15, cut_off: 5}"


class AssignmentErrors(Mistakes):
    """The assignment's file cannot be used as it stands."""

    what = "The assignment"


@dataclass(frozen=True, slots=True)
class Assignment:
    """lessons: slugs in the order of the course; due: in UTC, None if there is no due time; zone: whose clocks show it
    to people, a name of the tz database."""

    id: str
    title: str
    lessons: tuple[str, ...]
    due: datetime | None = None
    zone: str = "UTC"
    late: LatePolicy = NOTHING

    def __str__(self) -> str:
        due = f"due {told(self.due, self.zone)}; late: {self.late}" if self.due else "no due time"
        lessons = "" if self.id == "+".join(self.lessons) else f": {', '.join(self.lessons)}"
        return f"{self.title} ({self.id}){lessons}; {due}"

    def to_dict(self) -> dict[str, Any]:
        """As JSON holds it; percentages are texts, lest they become binary fractions."""
        return {
            "id": self.id,
            "title": self.title,
            "lessons": list(self.lessons),
            "due": self.due.astimezone(UTC).isoformat() if self.due else None,
            "zone": self.zone,
            "late": {
                "per_day": str(self.late.per_day),
                "grace": self.late.grace,
                "cut_off": self.late.cut_off,
                "least": str(self.late.least),
            },
        }

    @classmethod
    def from_dict(cls, record: Any) -> Assignment:
        """Read it back. Raises ValueError for a missing or mistaken field."""
        try:
            late, due = record["late"], record["due"]
            return cls(
                record["id"],
                record["title"],
                tuple(record["lessons"]),
                datetime.fromisoformat(due).astimezone(UTC) if due else None,
                record["zone"],
                LatePolicy(Decimal(late["per_day"]), late["grace"], late["cut_off"], Decimal(late["least"])),
            )
        except (KeyError, TypeError, AttributeError, ArithmeticError) as error:
            raise ValueError(f"the assignment lacks or mistakes a field: {error}") from error


def unnamed(lessons: Iterable[str], course: Course) -> Assignment:
    """What is graded without an assignment's file, named after its lessons: no due time, nothing taken away.

    Two of the same lessons are one assignment; whoever wants two gives each a file.
    """
    slugs = tuple(lessons)
    if slugs == tuple(lesson.slug for lesson in course.lessons):
        return Assignment(WHOLE_COURSE, course.title, slugs)
    return Assignment("+".join(slugs), ", ".join(course.lesson(slug).title for slug in slugs), slugs)


def load_assignment(path: Path, course: Course) -> Assignment:
    """The assignment that a YAML file describes.

    ```yaml
    id: week-3
    title: Attention
    lessons: [attention, heads]   # or all, or left out: every lesson
    due: 2026-03-01 23:59         # local time; left out: whenever
    zone: Europe/Zurich
    late: {per_day: 10, grace: 15, cut_off: 5, least: 20}   # or none, or left out
    ```
    per_day: percent of the earned points for each begun day; grace: minutes, after which the full lateness counts;
    cut_off: days after which nothing counts; least: percent that stay until then. Raises AssignmentErrors, which holds
    every mistake with its line and what to write instead.
    """
    mistakes: list[Mistake] = []
    node = None if _refused(path, mistakes) else yaml12.read_nodes(path, mistakes)
    if node is None:
        raise AssignmentErrors(mistakes)
    table = read_table(node, path, "the assignment", _KEYS, mistakes)
    due, zone = _read_due(table)
    made = Assignment(_read_id(table), table.text("title"), _read_lessons(table, course), due, zone, _read_late(table))
    if mistakes:
        raise AssignmentErrors(mistakes)
    return made


def _refused(path: Path, mistakes: list[Mistake]) -> bool:
    """Whether it is what no assignment lies in, and what reading might never end of: a device, a pipe, a huge file."""
    try:
        status = path.stat()
    except OSError:
        return False  # whoever reads it says why it cannot be read
    if not stat.S_ISREG(status.st_mode) and not stat.S_ISDIR(status.st_mode):
        mistakes.append(Mistake(path, 0, "this is no ordinary file; write the assignment into one"))
    elif status.st_size > _LONGEST_FILE:
        mistakes.append(Mistake(path, 0, f"the file is longer than {_LONGEST_FILE} bytes, as no assignment is"))
    return bool(mistakes)


def _read_id(table: Table) -> str:
    text = table.text("id")
    if text and (not _ID.fullmatch(text) or len(text) > LONGEST_ID):
        says = (
            f"{quoted(text)} is no id; write lower-case letters, digits and dashes, at most {LONGEST_ID}, like week-3"
        )
        table.complain(table.line_of("id"), says)
    return text


def _read_lessons(table: Table, course: Course) -> tuple[str, ...]:
    slugs = [lesson.slug for lesson in course.lessons]
    node = table.nodes.get("lessons")
    if node is None or (isinstance(node, ScalarNode) and node.value == ALL):
        return tuple(slugs)
    wanted: list[str] = []
    entries = table.texts("lessons")
    if not entries and not isinstance(node, ScalarNode | MappingNode):
        table.complain(table.line_of("lessons"), f"`lessons` is empty; name at least one, or write `{ALL}`")
    for entry in entries:
        if entry.value and entry.value not in slugs:
            says = f"`lessons` names {quoted(entry.value)}, which is no lesson; {nearest(entry.value, slugs)}"
            table.complain(entry.line, says)
        elif entry.value in wanted:
            table.complain(entry.line, f"`lessons` names {entry.value} twice; keep one")
        elif entry.value:
            wanted.append(entry.value)
    return tuple(slug for slug in slugs if slug in wanted)


def _read_due(table: Table) -> tuple[datetime | None, str]:
    zone = None
    if "zone" in table.nodes:
        name = table.text("zone")
        try:
            zone = zone_of(name) if name else None
        except ValueError as error:
            table.complain(table.line_of("zone"), f"`zone`: {error}")
    elif "due" in table.nodes:
        says = "`due` is a local time and there is no `zone`; write `zone:` and a name like Europe/Zurich"
        table.complain(table.line_of("due"), says)
    due = None
    if "due" in table.nodes and (text := table.text("due")):
        try:
            # Where the zone is wrong the time is looked at all the same, lest its mistake be found one run later.
            due = local_moment(text, zone or zone_of("UTC"))
        except ValueError as error:
            table.complain(table.line_of("due"), f"`due`: {error}")
    return due, zone.key if zone else "UTC"


def _read_late(table: Table) -> LatePolicy:
    node = table.nodes.get("late")
    if node is None or (isinstance(node, ScalarNode) and node.value in (NONE, "")):
        return NOTHING
    if not isinstance(node, MappingNode):
        table.complain(yaml12.line_of(node), f"`late` is {_shown(node)}; {_LATE_ADVICE}")
        return NOTHING
    late = table.table("late", _LATE_KEYS)
    per_day = _percent(late, "per_day")
    least = _percent(late, "least")
    cut_off = _whole(late, "cut_off", "days", _MOST_DAYS) if "cut_off" in late.nodes else None
    grace = _whole(late, "grace", "minutes", _MOST_MINUTES)
    if "due" not in table.nodes:
        table.complain(late.line, "`late` says what being late costs, and there is no `due`; write `due:` and `zone:`")
    if "least" in late.nodes and "per_day" not in late.nodes:
        table.complain(
            late.line_of("least"), "`least` is what `per_day` leaves, and there is no `per_day`; write it too"
        )
    return LatePolicy(per_day, grace, cut_off, least)


def _percent(table: Table, key: str) -> Decimal:
    node = table.nodes.get(key)
    if node is None:
        return Decimal(0)
    number = Decimal(-1)
    if isinstance(node, ScalarNode) and node.tag == yaml12.INT:
        number = Decimal(yaml12.plain(node))
    elif (
        isinstance(node, ScalarNode) and node.tag == yaml12.FLOAT and node.value.strip("+-.").lower() not in _NO_NUMBERS
    ):
        number = Decimal(node.value)
    if 0 <= number <= 100 and number == round(number, 2):
        return number
    table.complain(table.line_of(key), f"`{key}` is {_shown(node)}; write a percentage from 0 to 100, like 12.5")
    return Decimal(0)


_NO_NUMBERS = ("inf", "nan")


def _whole(table: Table, key: str, unit: str, most: int) -> int:
    node = table.nodes.get(key)
    if node is None:
        return 0
    if isinstance(node, ScalarNode) and node.tag == yaml12.INT and 0 <= (number := int(yaml12.plain(node))) <= most:
        return number
    table.complain(table.line_of(key), f"`{key}` is {_shown(node)}; write whole {unit}, from 0 to {most}")
    return 0


def _shown(node: Any) -> str:
    return quoted(node.value) if isinstance(node, ScalarNode) and node.tag == yaml12.STR else kind_of(node)
