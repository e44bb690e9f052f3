"""The package is imported into a new collection of Anki's own library, as a learner's Anki would."""

import io
import sqlite3
import sys
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest
from anki.collection import Collection, ImportAnkiPackageRequest
from made_log import COURSE

from grader.errors import UserError
from grader.review.anki import card_of, package
from grader.review.questions.model import Call, Option, Param, Question, Tolerance
from grader.review.questions.oracle import Oracle

NOW = datetime(2026, 3, 1, 12, tzinfo=UTC)
LATER = NOW + timedelta(days=40)

RATIO = Question(
    id="norms-ratio",
    lesson="norms",
    version=1,
    kind="numeric",
    concepts=("scale", "mean"),
    prompt="What is $\\frac{x}{b} < 1$ for `a = {a}`?\n\n```python\nif a < 2:\n    print(a)\n```\n\n$$a_i$$",
    explanation="It is **half**.",
    answer=Call(
        "reference.lab:kv_cache_bytes",
        {"n_blocks": 1, "n_kv_heads": 1, "head_width": 1, "seq": 1, "batch": 1, "bytes_per_value": 2},
    ),
    tolerance=Tolerance("exact"),
    params=(Param("a", (1,)),),
)
CHOICE = Question(
    id="norms-choice",
    lesson="norms",
    version=1,
    kind="choice",
    concepts=("scale",),
    prompt="Which token is `<s>`?",
    explanation="The first.",
    answer="first",
    options=(
        Option("first", "the <first> of $x < y$", True, ""),
        Option("last", "the last", False, "No."),
        Option("none", "neither", False, "No."),
    ),
)
HEADS = replace(CHOICE, id="heads-choice", lesson="heads")


class Imported:
    """A collection, and what each import did to it."""

    def __init__(self, folder: Path) -> None:
        self.collection = Collection(str(folder / "collection.anki2"))
        self._file = folder / "deck.apkg"

    def take(self, content: bytes) -> tuple[int, int, int]:
        """How many notes were new, updated, and left as they were."""
        self._file.write_bytes(content)
        log = self.collection.import_anki_package(ImportAnkiPackageRequest(package_path=str(self._file))).log
        assert not log.conflicting
        return len(log.new), len(log.updated), len(log.duplicate)

    def notes(self) -> dict[str, dict[str, str]]:
        notes = [self.collection.get_note(id_) for id_ in self.collection.find_notes("")]
        return {note.guid: dict(note.items()) for note in notes}


@pytest.fixture
def anki(tmp_path: Path) -> Iterator[Imported]:
    imported = Imported(tmp_path)
    yield imported
    imported.collection.close()


def exported(*questions: Question, now: datetime = NOW) -> bytes:
    quizzes: dict[str, Sequence[Question]] = {
        slug: [question for question in questions if question.lesson == slug] for slug in ("norms", "heads")
    }
    return package({slug: quiz for slug, quiz in quizzes.items() if quiz}, COURSE, now)


def rows(content: bytes, table: str) -> list[tuple[object, ...]]:
    with zipfile.ZipFile(io.BytesIO(content)) as archive:
        database = archive.read("collection.anki2")
    connection = sqlite3.connect(":memory:")
    try:
        connection.deserialize(database)
        return connection.execute(f"SELECT * FROM {table}").fetchall()
    finally:
        connection.close()


def test_each_lesson_is_a_deck_under_that_of_the_course(anki: Imported) -> None:
    assert anki.take(exported(RATIO, CHOICE, HEADS)) == (3, 0, 0)
    names = {deck.name for deck in anki.collection.decks.all_names_and_ids()}
    assert names >= {"Decoder anatomy", "Decoder anatomy::norms", "Decoder anatomy::heads"}
    assert len(anki.collection.find_cards('"deck:Decoder anatomy::norms"')) == 2


def test_a_note_is_named_by_its_question(anki: Imported) -> None:
    anki.take(exported(RATIO, CHOICE))
    assert set(anki.notes()) == {"norms-ratio", "norms-choice"}


def test_the_same_questions_are_imported_once(anki: Imported) -> None:
    anki.take(exported(RATIO, CHOICE))
    assert anki.take(exported(RATIO, CHOICE)) == (0, 0, 2)
    assert len(anki.notes()) == 2


def test_a_question_that_was_edited_is_updated_and_keeps_its_card(anki: Imported) -> None:
    anki.take(exported(RATIO, CHOICE))
    card = anki.collection.find_cards("tag:decoder-anatomy::mean")
    edited = replace(RATIO, explanation="It is a quarter.", version=2)
    new, updated, _ = anki.take(exported(edited, CHOICE, now=LATER))
    assert (new, updated >= 1, len(anki.notes())) == (0, True, 2)
    assert anki.notes()["norms-ratio"]["Explanation"] == "<p>It is a quarter.</p>"
    assert anki.collection.find_cards("tag:decoder-anatomy::mean") == card


def test_anki_finds_nothing_to_mend(anki: Imported) -> None:
    anki.take(exported(RATIO, CHOICE, HEADS))
    problems, fine = anki.collection.fix_integrity()
    assert fine, problems


def test_the_front_asks_and_the_back_answers(anki: Imported) -> None:
    anki.take(exported(CHOICE))
    card = anki.collection.get_card(anki.collection.find_cards("")[0])
    front, back = card.question(), card.answer()
    assert "Which token is" in front
    assert "the last" in front
    assert "The first." not in front
    assert "The first." in back
    assert "anatomy quiz norms" in back


def test_math_is_for_mathjax_code_is_preformatted_and_signs_are_no_tags() -> None:
    prompt = card_of(RATIO, COURSE.lesson("norms"), Oracle()).fields[0]
    assert r"\(\frac{x}{b} &lt; 1\)" in prompt
    assert r"\[a_i\]" in prompt
    assert "<code>a = 1</code>" in prompt
    assert "if a &lt; 2:\n    print(a)\n</code></pre>" in prompt
    question, options, *_ = card_of(CHOICE, COURSE.lesson("norms"), Oracle()).fields
    assert "<code>&lt;s&gt;</code>" in question
    assert r"<li>the &lt;first&gt; of <span class=" in options


def test_options_have_the_letters_that_the_answer_names() -> None:
    _, options, answer, *_ = card_of(CHOICE, COURSE.lesson("norms"), Oracle()).fields
    letter = answer.removeprefix("<p>")[0]
    assert options.split("<li>")[1 + "abc".index(letter)].startswith("the &lt;first&gt;")


def test_an_answer_comes_from_the_reference() -> None:
    assert card_of(RATIO, COURSE.lesson("norms"), Oracle()).fields[2] == "<p>4</p>"


def test_a_later_package_differs_in_times_alone() -> None:
    assert exported(RATIO, CHOICE) == exported(RATIO, CHOICE)
    first, later = (rows(exported(RATIO, CHOICE, now=now), "notes") for now in (NOW, LATER))
    moved = [row for row in first if row[3] == int(NOW.timestamp())]
    assert len(moved) == 2
    assert [(*row[:3], *row[4:]) for row in first] == [(*row[:3], *row[4:]) for row in later]


def test_notes_keep_their_ids_beside_other_questions() -> None:
    alone, beside = (
        {row[1]: row[0] for row in rows(exported(*questions), "notes")}
        for questions in ((CHOICE,), (RATIO, CHOICE, HEADS))
    )
    assert alone["norms-choice"] == beside["norms-choice"]
    assert all(isinstance(id_, int) and id_ < NOW.timestamp() * 1000 for id_ in beside.values())


@pytest.mark.parametrize("missing", ["genanki", "mdit_py_plugins"])
def test_without_the_extra_a_sentence_says_what_to_install(missing: str, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in [name for name in sys.modules if name.startswith(missing)]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(UserError, match=rf"with {missing}, .* pip install 'decoder-anatomy\[anki\]'$"):
        exported(CHOICE)


def test_no_file_is_left_in_the_temporary_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    exported(CHOICE)
    assert list(tmp_path.iterdir()) == []
