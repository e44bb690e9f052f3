"""The questions of the quizzes as an Anki package (.apkg), written by genanki.

A note is named by its question for good (guid, note id), and so are the decks and the note type: Anki finds what it has
imported before, and updates it. All that changes from one export to the next is the time of change.
"""

from __future__ import annotations

import hashlib
import io
import sqlite3
import zipfile
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from html import escape
from types import ModuleType
from typing import Any

from grader.course.model import Course, Lesson
from grader.errors import UserError
from grader.review.questions.draw import draw
from grader.review.questions.kinds.choice import lettered
from grader.review.questions.marking import key
from grader.review.questions.model import Question
from grader.review.questions.oracle import Oracle

PARENT_DECK = "Decoder anatomy"
_MODEL_NAME = "Decoder anatomy question"
_MODEL_ID = 1_478_203_911  # drawn once; another one would double every learner's notes
_SEED = "0"  # the numbers on a card stay what they are
_FIELDS = ("Item", "Question", "Options", "Answer", "Explanation", "Lesson")
_FRONT = '<div class="prompt">{{Question}}</div>{{#Options}}<div class="options">{{Options}}</div>{{/Options}}'
_BACK = (
    '{{FrontSide}}<hr id="answer"><div class="answer">{{Answer}}</div>'
    '<div class="explanation">{{Explanation}}</div><div class="lesson">{{Lesson}}</div>'
)
_STYLE = """\
.card { font-family: sans-serif; font-size: 18px; text-align: left; max-width: 40em; margin: 0 auto; }
pre, code { font-family: monospace; font-size: 0.9em; }
pre { white-space: pre-wrap; }
table { border-collapse: collapse; }
td, th { border: 1px solid; padding: 0.2em 0.5em; }
.lesson { margin-top: 1em; font-size: 0.8em; opacity: 0.7; }
"""

_EXTRA = frozenset({"genanki", "markdown_it", "mdit_py_plugins"})
_EARLIEST_ID, _IDS = 1_300_000_000_000, 10**11
"""Anki takes an id for the moment of making, in milliseconds, and mends those that lie in the future."""
_DECK_IDS = range(1 << 30, 1 << 31)


@dataclass(frozen=True, slots=True)
class Card:
    """One note: the item that it asks, its fields in HTML (those of the note type after the first), and its tags."""

    item: str
    fields: tuple[str, ...]
    tags: tuple[str, ...]


def package(quizzes: Mapping[str, Sequence[Question]], course: Course, now: datetime) -> bytes:
    """The bytes of an .apkg with one deck a lesson, for the quizzes by slug. `now` is the time of change of every note.

    Raises UserError if genanki is not installed, and CourseErrors for a question that has no answer.
    """
    genanki = _genanki()
    oracle = Oracle()
    model = genanki.Model(
        _MODEL_ID,
        _MODEL_NAME,
        fields=[{"name": name} for name in _FIELDS],
        templates=[{"name": "Question", "qfmt": _FRONT, "afmt": _BACK}],
        css=_STYLE,
    )
    decks = []
    items: list[str] = []
    for slug, questions in quizzes.items():
        lesson = course.lesson(slug)
        deck = genanki.Deck(_deck_id(slug), f"{PARENT_DECK}::{lesson.title.replace('::', ':')}")
        for card in (card_of(question, lesson, oracle) for question in questions):
            fields = [escape(card.item), *card.fields]
            deck.add_note(genanki.Note(model, fields, guid=card.item, tags=list(card.tags)))
            items.append(card.item)
        decks.append(deck)
    return _packed(genanki.Package(decks), items, now)


def card_of(question: Question, lesson: Lesson, oracle: Oracle) -> Card:
    """The card of a question, always with the same numbers and the same order of options. Raises CourseErrors."""
    drawn = draw(question, _SEED)
    options = "".join(f"<li>{_inline(option.text)}</li>" for _, option in lettered(drawn))
    fields = (
        _html(drawn.prompt),
        f'<ol type="a">{options}</ol>' if options else "",
        _html(key(drawn, oracle).shown),
        _html(drawn.explanation),
        f"{escape(lesson.title)}: <code>anatomy quiz {lesson.slug}</code>",
    )
    tags = (f"decoder-anatomy::{lesson.slug}", *(f"decoder-anatomy::{concept}" for concept in question.concepts))
    return Card(question.id, fields, tags)


def _genanki() -> ModuleType:
    try:
        import genanki  # an extra, with the next one: most learners review without Anki
        import mdit_py_plugins.dollarmath  # noqa: F401  the cards need it later
    except ModuleNotFoundError as error:
        missing = (error.name or "").partition(".")[0]
        if missing not in _EXTRA:
            raise
        raise UserError(
            f"Anki decks are written with {missing}, which is not installed here. Install it: "
            "pip install 'decoder-anatomy[anki]'"
        ) from None
    module: ModuleType = genanki
    return module


def _packed(package: Any, items: Iterable[str], now: datetime) -> bytes:
    """What `Package.write_to_file` does, with ids of our own and without leaving its temporary file behind."""
    connection = sqlite3.connect(":memory:")
    try:
        package.write_to_db(connection.cursor(), now.timestamp(), _ids(items))
        connection.commit()
        database = connection.serialize()
    finally:
        connection.close()
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in (("collection.anki2", database), ("media", b"{}")):
            entry = zipfile.ZipInfo(name, now.astimezone(UTC).timetuple()[:6])
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def _ids(items: Iterable[str]) -> Iterator[int]:
    """The id of each note, twice: genanki asks for that of the note and then for that of its one card."""
    taken: set[int] = set()
    for item in items:
        number = _EARLIEST_ID + _hash(item) % _IDS
        while number in taken:
            number += 1
        taken.add(number)
        yield number
        yield number


def _deck_id(slug: str) -> int:
    return _DECK_IDS[_hash(f"deck {slug}") % len(_DECK_IDS)]


def _hash(text: str) -> int:
    return int.from_bytes(hashlib.sha256(text.encode()).digest()[:8])


def _html(markdown: str) -> str:
    return str(_renderer().render(markdown)).strip()


def _inline(markdown: str) -> str:
    return str(_renderer().renderInline(markdown))


@cache
def _renderer() -> Any:
    from markdown_it import MarkdownIt
    from mdit_py_plugins.dollarmath import dollarmath_plugin

    # HTML in a prompt is text: `<s>` is a token there.
    return MarkdownIt("commonmark", {"html": False}).enable("table").use(dollarmath_plugin, renderer=_mathjax)


def _mathjax(formula: str, options: Mapping[str, Any]) -> str:
    """A formula between the marks that Anki gives to MathJax."""
    return rf"\[{escape(formula)}\]" if options["display_mode"] else rf"\({escape(formula)}\)"
