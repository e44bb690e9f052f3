"""Gradescope: a folder a submission, and `submission_metadata.yml`, which says whose each is; a group is one folder."""

from __future__ import annotations

from grader.batch.handed_in import Refused, Student
from grader.batch.layouts.found import Asked, Draft, Found, by_label, numbered
from grader.batch.layouts.metadata import BadMetadata, Metadata, Submitter, submissions
from grader.batch.layouts.times import moment
from grader.batch.naming import comparable, shown, text_of
from grader.batch.tree import Branch, Kind, Missing, Picked, Tree, Unreadable, listing
from grader.errors import UserError

METADATA = "submission_metadata.yml"
MAX_METADATA = 256_000_000


def recognise(tree: Tree, _: Asked) -> Found | None:
    """A Gradescope export, if the metadata are there. Raises UserError if they cannot be read."""
    names = listing(tree)
    if names.get(METADATA) is not Kind.FILE:
        return None
    there = {comparable(name): name for name in names if name != METADATA}
    drafts: list[Draft] = []
    refused: list[Refused] = []
    try:
        for entry in submissions(_metadata(tree)):
            folder = there.pop(comparable(entry.folder), None)
            students = tuple(dict.fromkeys(student for each in entry.submitters if (student := _student(each))))
            if students:
                drafts.append(_draft(tree, entry, students, folder, names))
            else:
                refused.append(Refused(shown(entry.folder), f"{METADATA} names nobody who handed it in"))
    except (BadMetadata, Unreadable) as error:
        raise UserError(
            f"{METADATA} of this Gradescope export cannot be read: {error}. Export the submissions again."
        ) from error
    refused += [Refused(shown(name), f"{METADATA} does not speak of it") for name in there.values()]
    return Found("gradescope", "a Gradescope export", by_label(drafts), tuple(refused))


def _metadata(tree: Tree) -> bytes:
    data = tree.read((METADATA,), MAX_METADATA + 1)
    if len(data) > MAX_METADATA:
        raise BadMetadata(f"it is larger than {MAX_METADATA // 1_000_000} MB")
    return data


def _student(submitter: Submitter) -> Student | None:
    for identity in (submitter.sid, submitter.email, submitter.name):
        if identity.strip():
            return Student(text_of(identity), text_of(submitter.name), text_of(submitter.email))
    return None


def _draft(
    tree: Tree, entry: Metadata, students: tuple[Student, ...], folder: str | None, names: dict[str, Kind]
) -> Draft:
    held: Tree = Missing(f"{METADATA} speaks of {shown(entry.folder)}, which is not in the export.")
    if folder is not None:
        kind = names[folder]
        held = Branch(tree, (folder,)) if kind is Kind.FOLDER else Picked(tree, ((folder, (folder,), kind),))
    time = moment(entry.created_at)
    return Draft(students, entry.folder, held, submitted=time, rank=(numbered(entry.folder),))
