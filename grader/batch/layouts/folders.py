"""A folder of folders, Python files and zips, one a student; or of cloned repositories."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from itertools import islice

from grader.batch.contents import OTHER_ARCHIVES
from grader.batch.handed_in import Refused, Student
from grader.batch.layouts.found import Asked, Draft, Found, by_label
from grader.batch.naming import shown, text_of
from grader.batch.survey import is_place, lesson_of
from grader.batch.tree import Branch, Kind, Missing, Parts, Picked, Tree, Unreadable, listing
from grader.errors import UserError
from grader.workspace.submission import MODULE_FOLDER

WORK = (".py", ".zip", ".ipynb", *OTHER_ARCHIVES)
"""Endings of what a student may hand in by itself."""

_PEEKED = 500
_WRAPPED = 3


def recognise(tree: Tree, asked: Asked) -> Found | None:
    """Any folder in which something was handed in: the last layout to be tried.

    Raises UserError for a folder that is one submission, and for a prefix that nothing has.
    """
    names = listing(tree)
    _not_one_submission(tree, names, asked)
    refused = []
    drafts = []
    repositories = {name for name, kind in names.items() if kind is Kind.FOLDER and _is_repository(tree, name)}
    prefix = _prefix(repositories, names, asked)
    for name, kind in names.items():
        if why := _no_submission(name, kind, asked):
            refused.append(Refused(shown(name), why))
            continue
        student = Student(text_of(_id(name, kind).removeprefix(prefix) or _id(name, kind)))
        drafts.append(Draft((student,), name, _held(tree, name, kind)))
    if not any(_holds_work(tree, draft.label, names[draft.label]) for draft in drafts):
        return None
    remark = f"{shown(prefix)} was taken off their names, another prefix can be given" if prefix else ""
    kinds = Counter(_sort(draft.label, names, repositories) for draft in drafts)
    says = ", ".join(f"{count} {_plural(kind, count)}" for kind, count in sorted(kinds.items()))
    layout = "repositories" if repositories else "folders"
    return Found(layout, f"{says}, one a student", by_label(drafts), tuple(refused), remark)


def wraps_a_class(tree: Tree, asked: Asked) -> bool:
    """Whether a folder by itself holds several students' work, rather than one student's."""
    slugs = [lesson.slug for lesson in asked.course.lessons]
    held = 0
    for name, kind in listing(tree).items():
        if kind is Kind.FILE and (lesson_of(name, slugs) or name.endswith(".ipynb")):
            return False
        if kind is Kind.FOLDER and name in (MODULE_FOLDER, ".git"):
            return False
        held += kind is Kind.FILE and name.lower().endswith(WORK)
        held += kind is Kind.FOLDER and is_place(name) and _has_lessons(tree, (name,), slugs)
    return held > 1


def _has_lessons(tree: Tree, at: Parts, slugs: list[str]) -> bool:
    return any(
        lesson_of(name, slugs) for below in ((), (MODULE_FOLDER,)) for name in _names(tree, (*at, *below))
    ) or any(name.lower().endswith(".zip") for name in _names(tree, at))


def _names(tree: Tree, at: Parts) -> dict[str, Kind]:
    try:
        return listing(tree, at)
    except Unreadable:
        return {}


def _is_repository(tree: Tree, name: str) -> bool:
    return ".git" in _names(tree, (name,))


def _not_one_submission(tree: Tree, names: dict[str, Kind], asked: Asked) -> None:
    slugs = [lesson.slug for lesson in asked.course.lessons]
    own = {name for name, kind in names.items() if kind is Kind.FILE and lesson_of(name, slugs)}
    if names.get(MODULE_FOLDER) is Kind.FOLDER and any(
        lesson_of(name, slugs) for name in _names(tree, (MODULE_FOLDER,))
    ):
        own.add(MODULE_FOLDER)
    others = [
        name
        for name, kind in names.items()
        if name not in own and (is_place(name) if kind is Kind.FOLDER else name.lower().endswith(WORK))
    ]
    if ".git" in names or (own and not others):
        raise UserError(
            f"{asked.where} is one submission, not a folder of them: lesson files lie at its top. Grade it with "
            "`anatomy grade --student`, or name the folder that holds it."
            if own
            else f"{asked.where} is one cloned repository. Name the folder that holds the repositories."
        )


def _no_submission(name: str, kind: Kind, asked: Asked) -> str:
    if name.startswith("."):
        return "is hidden, so it is taken for no submission"
    if kind is Kind.FILE:
        slugs = [lesson.slug for lesson in asked.course.lessons]
        if lesson_of(name, slugs):
            return "is named after a lesson, not after a student"
        if not name.lower().endswith(WORK):
            return "is no folder, .py or .zip, so it is taken for no submission"
    return ""


def _id(name: str, kind: Kind) -> str:
    return name[: -len(_ending(name))] if kind is Kind.FILE else name


def _ending(name: str) -> str:
    return max((ending for ending in WORK if name.lower().endswith(ending)), key=len, default="")


def _held(tree: Tree, name: str, kind: Kind) -> Branch | Picked | Missing:
    if kind is Kind.FOLDER:
        return Branch(tree, (name,))
    if kind is Kind.FILE:
        return Picked(tree, ((name, (name,), kind),))
    return Missing(f"{shown(name)} is {kind.value}, which is not opened.")


def _holds_work(tree: Tree, name: str, kind: Kind) -> bool:
    """Whether something in it could be graded, or could be meant to be; nothing is opened for it."""
    return kind is Kind.FILE or (kind is Kind.FOLDER and _work_below(tree, (name,), _WRAPPED))


def _work_below(tree: Tree, at: Parts, depth: int) -> bool:
    names = _names(tree, at)
    if any(kind is not Kind.FOLDER and name.lower().endswith(WORK) for name, kind in names.items()):
        return True
    folders = (name for name, kind in names.items() if kind is Kind.FOLDER and is_place(name))
    return depth > 1 and any(_work_below(tree, (*at, name), depth - 1) for name in islice(folders, _PEEKED))


def _prefix(repositories: Iterable[str], names: Iterable[str], asked: Asked) -> str:
    if asked.prefix is not None:
        prefix = asked.prefix if asked.prefix.endswith(("-", "_")) or not asked.prefix else f"{asked.prefix}-"
        if not any(name.startswith(prefix) for name in names):
            raise UserError(
                f"No name in {asked.where} begins with the prefix {shown(prefix)}. Leave it out, or give another."
            )
        return prefix
    return shared_prefix(repositories)


def shared_prefix(repositories: Iterable[str]) -> str:
    """What all names begin with up to a '-', which leaves something of each. '' for fewer than two names.

    `hw1-ann`, `hw1-bob-lee` -> `hw1-`; a classroom's name in front of the assignment's is taken off with it.
    """
    split = [name.split("-") for name in repositories]
    if len(split) < 2:
        return ""
    first, last = min(split), max(split)  # what these two share, all share
    count = 0
    while count < min(map(len, split)) - 1 and first[count] == last[count]:
        count += 1
    return "-".join(first[:count]) + "-" if count else ""


def _sort(name: str, names: dict[str, Kind], repositories: set[str]) -> str:
    if name in repositories:
        return "cloned repository"
    if names[name] is Kind.FILE:
        return f"{_ending(name)} file"
    return {Kind.FOLDER: "folder", Kind.LINK: "link"}.get(names[name], "other")


def _plural(kind: str, count: int) -> str:
    if count == 1:
        return kind
    return f"{kind[:-1]}ies" if kind.endswith("y") else f"{kind}s"
