"""Canvas: flat files `name_[LATE_]userid_attachmentid_file`, all attempts of a file side by side."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from dataclasses import dataclass

from grader.batch.handed_in import Refused, Student
from grader.batch.layouts.found import Asked, Draft, Found, by_label
from grader.batch.naming import shown, text_of
from grader.batch.survey import unnumbered
from grader.batch.tree import Kind, Missing, Picked, Tree, listing

# Canvas itself reads its names so: the first two fields of digits are the user and the attachment. An anonymous
# assignment has `anon_` and letters in place of name and user; a text typed in, or a link, has no attachment.
_FILE = re.compile(
    r"(?:(?P<anonymous>anon)_(?:LATE_)?(?P<letters>[A-Za-z0-9]{5})|(?P<name>.*?)_(?P<user>[0-9]{1,19}))"
    r"_(?P<attachment>[0-9]{1,19})_(?P<file>.+)",
    re.DOTALL,
)
_TYPED = re.compile(r"(?P<name>.*?)_(?P<user>[0-9]{1,19})_(?P<what>text|link)\.html", re.DOTALL)


@dataclass(frozen=True, slots=True)
class CanvasName:
    """A name taken apart; `attachment` is None for what was typed into the page."""

    name: str
    late: bool
    user: str
    attachment: int | None
    file: str


def parse(name: str) -> CanvasName | None:
    """Take a name apart. None if Canvas does not write such names."""
    if match := _TYPED.fullmatch(name):
        return CanvasName(*_late(match["name"]), match["user"], None, f"{match['what']}.html")
    if not (match := _FILE.fullmatch(name)):
        return None
    if match["anonymous"]:
        late = "_LATE_" in name[: match.start("letters")]
        return CanvasName("", late, match["letters"], int(match["attachment"]), match["file"])
    return CanvasName(*_late(match["name"]), match["user"], int(match["attachment"]), match["file"])


def recognise(tree: Tree, _: Asked) -> Found | None:
    """A Canvas download, if most of its files are named so."""
    names = listing(tree)
    files = [name for name, kind in names.items() if kind is Kind.FILE]
    parsed = {name: found for name in files if (found := parse(name))}
    if not parsed or len(parsed) * 2 < len(names) or not _consistent(parsed.values()):
        return None
    of: dict[str, list[tuple[str, CanvasName]]] = {}
    for name, found in parsed.items():
        of.setdefault(found.user, []).append((name, found))
    refused = [Refused(shown(name), "is not named as Canvas names submissions") for name in names if name not in parsed]
    drafts = []
    for user, entries in of.items():
        draft, older = _submission(tree, user, entries)
        drafts.append(draft)
        refused += older
    return Found("canvas", "a Canvas download", by_label(drafts), tuple(refused))


def _consistent(parsed: Collection[CanvasName]) -> bool:
    """Whether no two files have one attachment's number, and no user two names: `lab_2026_01_ann.py` is no Canvas."""
    attachments = [each.attachment for each in parsed if each.attachment is not None]
    users = {(each.user, each.name) for each in parsed}
    return len(set(attachments)) == len(attachments) and len({user for user, _ in users}) == len(users)


def _submission(tree: Tree, user: str, entries: list[tuple[str, CanvasName]]) -> tuple[Draft, list[Refused]]:
    newest_first = sorted(entries, key=lambda entry: (-(entry[1].attachment or 0), entry[0]))
    kept: dict[str, tuple[str, CanvasName]] = {}
    refused = []
    for name, found in newest_first:
        if found.attachment is None:
            continue
        first = kept.setdefault(unnumbered(found.file), (name, found))
        if first[0] != name:
            refused.append(
                Refused(shown(name), f"handed in again: {shown(first[0])} is newer and counts", ordinary=True)
            )
    latest = newest_first[0][1]
    student = Student(user, text_of(latest.name))
    label = newest_first[0][0]
    if not kept:
        why = "Text or a link was handed in through the page, no file: a lesson's .py file or a zip is read."
        return Draft((student,), label, Missing(why), late=latest.late), refused
    # Under the name without its number: what is left of several copies is the newest.
    files = dict(_unique(kept))
    items = tuple((file, (name,), Kind.FILE) for file, name in files.items())
    return Draft((student,), label, Picked(tree, items, ranked=True), late=latest.late), refused


def _unique(kept: dict[str, tuple[str, CanvasName]]) -> Iterator[tuple[str, str]]:
    for file, (name, _) in kept.items():
        yield file, name


def _late(name: str) -> tuple[str, bool]:
    return (name.removesuffix("_LATE"), True) if name.endswith("_LATE") else (name, False)
