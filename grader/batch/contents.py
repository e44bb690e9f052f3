"""Inside one submission: where the lesson modules are, and why nothing could be graded if there are none."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from grader.batch.archive import MAX_UNPACKED, opened
from grader.batch.handed_in import Contents
from grader.batch.naming import shown
from grader.batch.survey import Base, Survey, lesson_of, survey
from grader.batch.tree import Kind, OutOfReach, Parts, Tree, Unreadable, listing
from grader.course.model import Course
from grader.workspace.submission import MAX_BYTES, MODULE_FOLDER, submission_of

MAX_ZIPS = 10
MAX_LOGS = 20
MAX_LOG_BYTES = 16_000_000
MAX_LOG_DEPTH = 3
LOG_FOLDERS = ("log", "records")
OTHER_ARCHIVES = (".7z", ".rar", ".tar", ".tgz", ".tar.gz", ".tar.bz2", ".tar.xz", ".gz", ".bz2", ".xz", ".zipx")
NAMED = 5
"""File names that a sentence lists at most."""

_Module = tuple[Survey, Parts]


@dataclass(frozen=True, slots=True)
class _Found:
    modules: Mapping[str, _Module]
    ignored: tuple[str, ...] = ()


def contents_of(tree: Tree, course: Course, lessons: Sequence[str]) -> Contents:
    """Read a submission. Whatever is wrong with it becomes the `problem`, and nothing is raised.

    lessons: what was asked for, which decides what a single file of another name is taken for.
    """
    try:
        tree.check(())
        return _contents(tree, course, tuple(lessons) or tuple(lesson.slug for lesson in course.lessons))
    except Unreadable as error:
        return Contents({}, problem=str(error), out_of_reach=isinstance(error, OutOfReach))


def _contents(tree: Tree, course: Course, lessons: Sequence[str]) -> Contents:
    slugs = tuple(lesson.slug for lesson in course.lessons)
    loose = survey(tree, slugs, "")
    surveys = [loose]
    closed: dict[str, str] = {}
    found = _chosen(loose)
    if not found.modules:
        zips, closed = _unpacked(loose, slugs)
        surveys += zips
        found = _merged([_chosen(each) for each in zips], tree.ranked)
    if not found.modules:
        found = _single(surveys, list(closed.values()), course, lessons)
    modules = {slug: where.tree.read(at, MAX_BYTES + 1) for slug, (where, at) in found.modules.items()}
    logs, skipped = _logs(surveys)
    notes = [*found.ignored, *(note for each in surveys for note in each.notes)]
    notes += [*closed.values(), *skipped]
    taken = {where.label(at) for where, at in found.modules.values()} | set(closed) | {each.name for each in surveys}
    left = [label for each in surveys for label in _left_alone(each, slugs) if label not in taken]
    notes += [f"not read: {_named(left)}"] if left else []
    return Contents(modules, logs, ignored=tuple(note.rstrip(".") for note in notes))


def _chosen(where: Survey) -> _Found:
    """The modules of the first place that holds any, as `anatomy grade` looks for them: the top, `student/`, a folder.

    Several folders are taken together as long as no lesson is in two of them.
    """
    tiers = [[base for base in where.bases if base.at == at] for at in ((), (MODULE_FOLDER,))]
    tiers.append(list(_first_in_each_folder(where)))
    held = [[base for base in tier if base.modules] for tier in tiers]
    best = next((tier for tier in held if tier), [])
    notes = [note for base in best for note in base.notes]
    modules: dict[str, _Module] = {}
    for base in best:
        for slug, name in base.modules.items():
            if slug in modules:
                both = " and ".join(where.label(at) for at in (modules[slug][1], (*base.at, name)))
                raise Unreadable(f"{slug}.py is there twice, as {both}: hand in one.")
            modules[slug] = where, (*base.at, name)
    rest = [base for base in where.bases if base.modules and base not in best]
    notes += [f"{where.label(base.at)}/ holds lesson files too, which do not count" for base in rest[:NAMED]]
    return _Found(modules, tuple(notes))


def _first_in_each_folder(where: Survey) -> Iterator[Base]:
    seen: set[str] = set()
    for base in where.bases:
        if base.at and base.at != (MODULE_FOLDER,) and base.modules and base.at[0] not in seen:
            seen.add(base.at[0])
            yield base


def _merged(parts: Sequence[_Found], ranked: bool) -> _Found:
    modules: dict[str, _Module] = {}
    notes: list[str] = []
    for found in parts:
        notes += found.ignored
        for slug, module in found.modules.items():
            if slug not in modules:
                modules[slug] = module
                continue
            first, second = (where.label(at) for where, at in (modules[slug], module))
            if not ranked:
                raise Unreadable(f"{slug}.py is there twice, as {first} and {second}: hand in one.")
            notes.append(f"{second} is older than {first}, which counts")
    return _Found(modules, tuple(notes))


def _unpacked(loose: Survey, slugs: Sequence[str]) -> tuple[list[Survey], dict[str, str]]:
    """What the zip files that lie in a submission hold; and of those that cannot be read, why."""
    zips = [(*base.at, name) for base in loose.bases for name in base.ending(".zip")]
    if len(zips) > MAX_ZIPS:
        raise Unreadable(f"There are {len(zips)} zip files in it: hand in one.")
    surveys, closed = [], {}
    for at in zips:
        label = loose.label(at)
        try:
            surveys.append(survey(opened(loose.tree.read(at, MAX_UNPACKED + 1), label), slugs, label))
        except OutOfReach:
            raise
        except Unreadable as error:
            closed[label] = str(error)
    return surveys, closed


def _single(surveys: Sequence[Survey], closed: Sequence[str], course: Course, lessons: Sequence[str]) -> _Found:
    """The one Python file of a submission that has no lesson's name. Raises Unreadable, which says what is there.

    closed: why zip files in it could not be read.
    """
    strays = [(where, (*base.at, name)) for where in surveys for base in where.bases for name in base.strays]
    if len(strays) == 1:
        where, at = strays[0]
        if len(lessons) == 1:  # nothing else can be meant
            return _Found({lessons[0]: (where, at)})
        slug = _lesson_of(where, at, course, lessons)
        return _Found({slug: (where, at)}, (f"{where.label(at)} is taken for {slug}.py",))
    if closed:
        raise Unreadable(closed[0])
    expected = f"{lessons[0]}.py"
    if strays:
        names = _named([where.label(at) for where, at in strays])
        raise Unreadable(f"None of its {len(strays)} Python files is named after a lesson, as {expected} is: {names}.")
    raise Unreadable(_why_nothing(surveys, expected))


def _why_nothing(surveys: Sequence[Survey], expected: str) -> str:
    names = {where.name for where in surveys}
    files = [(where, (*base.at, name)) for where in surveys for base in where.bases for name in base.files]
    files = [(where, at) for where, at in files if where.label(at) not in names]
    packed = [(where, at) for where, at in files if where.name and at[-1].lower().endswith(".zip")]
    if packed:
        where, at = packed[0]
        inner = shown("/".join(at))
        return f"{inner} is a zip inside a zip ({where.name}), which is not opened: hand in {expected} in one zip."
    for endings, says in (
        (OTHER_ARCHIVES, "is an archive of a kind that is not read"),
        ((".ipynb",), "is a Jupyter notebook, which is not read"),
    ):
        if held := [where.label(at) for where, at in files if at[-1].lower().endswith(endings)]:
            return f"{held[0]} {says}: hand in {expected}, by itself or in a zip."
    if notes := [note for where in surveys for base in where.bases for note in base.notes]:
        return f"It holds no lesson file that can be read: {notes[0]}."
    if not files and not any(base.folders for where in surveys for base in where.bases):
        return "There is nothing in it."
    there = _named([where.label(at) for where, at in files]) or "folders with no file at their top"
    place = f"neither at its top nor in {MODULE_FOLDER}/ nor in a single folder"
    return f"It holds no lesson file such as {expected}, {place}, but {there}."


def _lesson_of(where: Survey, at: Parts, course: Course, lessons: Sequence[str]) -> str:
    """The lesson most of whose exercises a file defines. Raises Unreadable if none or several do equally."""
    import ast  # most submissions name their files after the lesson

    from grader.judge.source.syntax import parse

    label = where.label(at)
    raw = where.tree.read(at, MAX_BYTES + 1)
    file = submission_of(label, {lessons[0]: raw}, course).file(lessons[0])
    tree = parse(lessons[0], file.text) if file.text is not None else None
    if not isinstance(tree, ast.Module):
        raise Unreadable(f"{label} is not named after a lesson and cannot be read as Python: name it {lessons[0]}.py.")
    defined = {node.name for node in tree.body if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)}
    count = {slug: sum(each.name in defined for each in course.lesson(slug).exercises) for slug in lessons}
    most = max(count.values())
    best = [slug for slug in lessons if count[slug] == most]
    if not most:
        raise Unreadable(
            f"{label} is not named after a lesson and defines no exercise of one: name it {lessons[0]}.py, say."
        )
    if len(best) > 1:
        names = " as of ".join(best)
        raise Unreadable(f"{label} is not named after a lesson and defines as much of {names}: name it after one.")
    return best[0]


def _logs(surveys: Sequence[Survey]) -> tuple[tuple[bytes, ...], list[str]]:
    logs: list[bytes] = []
    notes: list[str] = []
    left = MAX_LOG_BYTES
    for where in surveys:
        for at in _records(where):
            if len(logs) == MAX_LOGS:
                return tuple(logs), [*notes, f"of the records no more than {MAX_LOGS} files are read"]
            try:
                data = where.tree.read(at, left + 1)
            except Unreadable as error:
                notes.append(str(error).rstrip("."))
                continue
            if len(data) > left:
                notes.append(f"{where.label(at)} is not read: the records are more than {MAX_LOG_BYTES // 10**6} MB")
                continue
            left -= len(data)
            logs.append(data)
    return tuple(logs), notes


def _records(where: Survey) -> Iterator[Parts]:
    for base in where.bases:
        for name in LOG_FOLDERS:
            if base.folders.get(name) is Kind.FOLDER:
                yield from _lines_below(where.tree, (*base.at, name), MAX_LOG_DEPTH)


def _lines_below(tree: Tree, at: Parts, depth: int) -> Iterator[Parts]:
    try:
        names = listing(tree, at)
    except Unreadable:
        return  # no folder of records; the lessons are judged all the same
    for name, kind in names.items():
        if kind is Kind.FILE and name.endswith(".jsonl"):
            yield (*at, name)
        elif kind is Kind.FOLDER and depth > 1:
            yield from _lines_below(tree, (*at, name), depth - 1)


def _left_alone(where: Survey, slugs: Sequence[str]) -> Iterator[str]:
    """Python files, notebooks and archives: a learner may have meant them to count."""
    for base in where.bases:
        for name in base.files:
            python = name.endswith(".py") and name != "__init__.py" and not lesson_of(name, slugs)
            if python or name.lower().endswith((".ipynb", ".pth", ".zip", *OTHER_ARCHIVES)):
                yield where.label((*base.at, name))


def _named(labels: Sequence[str]) -> str:
    more = f" and {len(labels) - NAMED} more" if len(labels) > NAMED else ""
    return ", ".join(labels[:NAMED]) + more
