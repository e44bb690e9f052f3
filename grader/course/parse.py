"""From the YAML of the course to `Course`, with every mistake in it reported at once."""

import keyword
import re
from dataclasses import dataclass
from pathlib import Path

from grader.course import yaml12
from grader.course.headings import headings
from grader.course.mistakes import CourseErrors, Mistake
from grader.course.model import Course, Exercise, Lesson, Limits, Minutes
from grader.course.reader import Table, Text, nearest, read_table

_COURSE_KEYS = ("title", "lessons")
_LESSON_KEYS = ("title", "summary", "minutes", "needs", "sources", "limits", "exercises")
_EXERCISE_KEYS = ("name", "points", "section", "concepts", "todo", "forbidden", "hints")
_MINUTES_KEYS = ("reading", "lab", "review")
_LIMITS_KEYS = ("seconds", "memory_mb", "output_kb")

_KEBAB = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_FEWEST_HINTS, _MOST_HINTS = 2, 3


def parse_course(folder: Path) -> Course:
    """The course whose `course.yaml` lies in `folder`.

    Raises CourseErrors, which holds every mistake of every file with its line and what to write instead.
    """
    mistakes: list[Mistake] = []
    title, slugs = _read_course(folder / "course.yaml", mistakes)
    lessons = tuple(_read_lesson(folder / slug, slugs, mistakes) for slug in slugs)
    for stray in sorted(path.parent for path in folder.glob("*/lesson.yaml")):
        if stray.name not in slugs:
            says = f"lesson {stray.name} is not in course.yaml; add it to `lessons` or move the folder away"
            mistakes.append(Mistake(stray / "lesson.yaml", 0, says))
    if mistakes:
        raise CourseErrors(mistakes)
    return Course(title, lessons, folder)


def _read_course(path: Path, mistakes: list[Mistake]) -> tuple[str, list[str]]:
    node = yaml12.read_nodes(path, mistakes)
    if node is None:
        return "", []
    table = read_table(node, path, "the course", _COURSE_KEYS, mistakes)
    title = table.text("title")
    slugs: list[str] = []
    for entry in table.texts("lessons"):
        if not entry.value:
            continue
        if not _is_name(entry.value):
            table.complain(entry.line, f"{entry.value!r} is no lesson name; write a Python module name in lower case")
        elif entry.value in slugs:
            table.complain(entry.line, f"lesson {entry.value} is listed twice; keep one")
        else:
            slugs.append(entry.value)
    return title, slugs


@dataclass(frozen=True)
class _Surroundings:
    """What an exercise is checked against: its lesson, the anchors of the page, and the names taken so far."""

    slug: str
    anchors: tuple[str, ...] | None
    lines: dict[str, int]


def _read_lesson(folder: Path, slugs: list[str], mistakes: list[Mistake]) -> Lesson:
    slug, path = folder.name, folder / "lesson.yaml"
    page = yaml12.read_text(folder / "lesson.md", mistakes)
    node = yaml12.read_nodes(path, mistakes)
    if node is None:
        return Lesson(slug, "", "", Minutes(0, 0, 0), (), (), Limits(), (), folder)
    table = read_table(node, path, "the lesson", _LESSON_KEYS, mistakes)
    minutes = table.table("minutes", _MINUTES_KEYS)
    limits = table.table("limits", _LIMITS_KEYS, required=False)
    default = Limits()
    anchors = None if page is None else tuple(heading.anchor for heading in headings(page))
    surroundings = _Surroundings(slug, anchors, {})
    return Lesson(
        slug=slug,
        title=table.text("title"),
        summary=table.text("summary"),
        minutes=Minutes(*(minutes.whole(key) for key in _MINUTES_KEYS)),
        needs=_read_needs(table, slug, slugs),
        sources=tuple(source.value for source in table.texts("sources")),
        limits=Limits(
            seconds=limits.number("seconds", default.seconds),
            memory_mb=limits.whole("memory_mb", default.memory_mb),
            output_kb=limits.whole("output_kb", default.output_kb),
        ),
        exercises=tuple(
            _read_exercise(exercise, surroundings)
            for exercise in table.tables("exercises", "the exercise", _EXERCISE_KEYS)
        ),
        folder=folder,
    )


def _read_needs(table: Table, slug: str, slugs: list[str]) -> tuple[str, ...]:
    needs: list[str] = []
    earlier = slugs[: slugs.index(slug)]
    for entry in table.texts("needs"):
        name = entry.value
        if not name:
            continue
        if name not in slugs:
            table.complain(entry.line, f"`needs` names {name!r}, which is no lesson; {nearest(name, slugs)}")
        elif name not in earlier:
            offer = ", ".join(earlier) or "none, so write []"
            table.complain(entry.line, f"`needs` names {name}, which does not come before {slug}; earlier are: {offer}")
        elif name in needs:
            table.complain(entry.line, f"`needs` names {name} twice; keep one")
        else:
            needs.append(name)
    return tuple(needs)


def _read_exercise(table: Table, surroundings: _Surroundings) -> Exercise:
    exercise = Exercise(
        lesson=surroundings.slug,
        name=table.text("name"),
        points=table.whole("points"),
        section=table.text("section"),
        concepts=_read_concepts(table),
        todo=table.text("todo"),
        forbidden=_read_forbidden(table),
        hints=_read_hints(table),
    )
    _check_name(exercise.name, table, surroundings.lines)
    _check_section(exercise.section, table, surroundings.anchors)
    if "\n" in exercise.todo:
        table.complain(table.line_of("todo"), "`todo` has several lines; write one")
    return exercise


def _check_name(name: str, table: Table, lines: dict[str, int]) -> None:
    line = table.line_of("name")
    if not name:
        return
    if not _is_name(name) or name.startswith("_"):
        table.complain(line, f"{name!r} is no exercise name; write a Python function name in lower case")
    elif name in lines:
        first = f"first in line {lines[name]}"
        table.complain(line, f"exercise {name} is here a second time ({first}); rename or remove one")
    lines.setdefault(name, line)


def _check_section(section: str, table: Table, anchors: tuple[str, ...] | None) -> None:
    # A page that is missing has been reported already: nothing can be said about its anchors.
    if section and anchors is not None and section not in anchors:
        says = f"`section` is {section!r}, which is the anchor of no heading in lesson.md; {nearest(section, anchors)}"
        table.complain(table.line_of("section"), says)


def _read_concepts(table: Table) -> tuple[str, ...]:
    concepts = table.texts("concepts")
    if not concepts and "concepts" in table.nodes:
        table.complain(table.line_of("concepts"), "`concepts` is empty; name at least one, in kebab-case")
    for concept in concepts:
        if concept.value and not _KEBAB.fullmatch(concept.value):
            table.complain(concept.line, f"the concept {concept.value!r} is not kebab-case; write it like `layer-norm`")
    return _values(concepts)


def _read_forbidden(table: Table) -> tuple[str, ...]:
    names = table.texts("forbidden")
    for name in names:
        if name.value and not name.value.isidentifier():
            last = name.value.rpartition(".")[2]
            advice = f"`{last}`" if last.isidentifier() else "a name"
            table.complain(name.line, f"{name.value!r} in `forbidden` is not a last name; write {advice} alone")
    return _values(names)


def _read_hints(table: Table) -> tuple[str, ...]:
    hints = table.texts("hints")
    if "hints" in table.nodes and not _FEWEST_HINTS <= len(hints) <= _MOST_HINTS:
        says = f"there are {len(hints)} hints; write two or three: a question, the idea, nearly the line"
        table.complain(table.line_of("hints"), says)
    return _values(hints)


def _values(texts: tuple[Text, ...]) -> tuple[str, ...]:
    return tuple(text.value for text in texts)


def _is_name(text: str) -> bool:
    return text.isidentifier() and text.isascii() and text == text.lower() and not keyword.iskeyword(text)
