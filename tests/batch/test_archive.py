"""Archives and what lies in one submission: hostile, broken, or merely packed in an unusual way."""

import io
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest
from made_exports import as_zip, write, zipped
from made_submissions import SOURCE

from grader.batch.archive import MAX_MEMBERS
from grader.batch.contents import contents_of
from grader.batch.handed_in import Collection, Contents
from grader.batch.tree import FolderTree
from grader.course.model import Course
from grader.workspace.submission import MAX_BYTES

Collected = Callable[..., Collection]
Read = Callable[..., Contents]


def packed(*members: tuple[str | zipfile.ZipInfo, bytes], method: int = zipfile.ZIP_DEFLATED) -> bytes:
    data = io.BytesIO()
    with warnings.catch_warnings(), zipfile.ZipFile(data, "w", method) as archive:
        warnings.simplefilter("ignore")  # of duplicates
        for name, content in members:
            archive.writestr(name, content)
    return data.getvalue()


def special(name: str, mode: int) -> zipfile.ZipInfo:
    member = zipfile.ZipInfo(name)
    member.external_attr = mode << 16
    return member


def edited(data: bytes, offset: int, value: bytes) -> bytes:
    """The archive with its first directory entry changed."""
    at = data.index(b"PK\x01\x02") + offset
    return data[:at] + value + data[at + len(value) :]


GOOD = packed(("first.py", SOURCE))
STORED = packed(("first.py", SOURCE), method=zipfile.ZIP_STORED)

REFUSED = {
    "absolute": (packed(("/first.py", SOURCE)), "/first.py is an absolute path"),
    "drive": (packed(("C:\\first.py", SOURCE)), "C:/first.py is an absolute path"),
    "dots": (packed(("a/../../first.py", SOURCE)), "leads out of the archive"),
    "link": (packed((special("first.py", 0o120777), b"/etc/passwd")), "first.py is a link"),
    "device": (packed((special("first.py", 0o020666), b"")), "first.py is no ordinary file"),
    "encrypted": (edited(GOOD, 8, b"\x01"), "first.py is encrypted"),
    "method": (packed(("first.py", SOURCE), method=zipfile.ZIP_BZIP2), "packed by a method that is not read"),
    "members": (packed(*((f"{place}", b"") for place in range(MAX_MEMBERS + 1))), "more than 2,000 members"),
    "bomb": (
        packed(*((f"{place}.txt", bytes(9_000_000)) for place in range(8))),
        "more than 64 MB when it is unpacked",
    ),
    "lie-short": (edited(packed(("first.py", bytes(100_000))), 24, b"\x0a\0\0\0"), "first.py cannot be unpacked"),
    "lie-long": (edited(GOOD, 24, b"\xff\xff\0\0"), "first.py is not as long as it says"),
    "crc": (STORED.replace(b"double", b"dOuble"), "first.py cannot be unpacked"),
    "truncated": (GOOD[:-40], "is no zip archive, or a damaged one"),
    "no-bytes": (b"", "is empty"),
    "empty": (packed(), "There is nothing in it"),
    "nested": (packed(("inner.zip", GOOD)), "inner.zip is a zip inside a zip"),
    "twice": (packed(("first.py", SOURCE), ("first.py", b"evil")), "first.py is there twice"),
    "file-and-folder": (packed(("a", b""), ("a/first.py", SOURCE)), "is both a file and a folder"),
    "nul": (GOOD.replace(b"first.py", b"first.p\0"), "has a NUL character in its name"),
    "encoding": (packed(("\u00e9.py", SOURCE)).replace(b"\xc3\xa9", b"\xff\xfe"), "in no known encoding"),
    "deep": (packed(("a/" * 50 + "first.py", SOURCE)), "lies in more than 40 folders"),
}


@pytest.fixture
def read(tmp_path: Path, made_course: Course) -> Read:
    """What is found in a submission with these files."""

    def call(files: dict[str, bytes], *lessons: str) -> Contents:
        return contents_of(FolderTree(write(tmp_path / "ann", files)), made_course, lessons or ("first",))

    return call


def test_a_bad_archive_is_its_students_problem_alone(tmp_path: Path, collected: Collected) -> None:
    hw = write(tmp_path / "hw", {f"{name}.zip": data for name, (data, _) in REFUSED.items()} | {"ann.zip": GOOD})
    for path in (hw, as_zip(hw)):
        found = {each.students[0].id: each.read() for each in collected(path).submissions}
        assert found.pop("ann").modules == {"first": SOURCE}
        assert set(found) == set(REFUSED)
        for name, contents in found.items():
            assert REFUSED[name][1] in contents.problem
            assert contents.problem.endswith(".")
            assert "\n" not in contents.problem
            assert not contents.modules


def test_members_of_the_whole_export_are_checked_student_by_student(tmp_path: Path, collected: Collected) -> None:
    export = tmp_path / "hw.zip"
    export.write_bytes(
        packed(
            ("ann/first.py", SOURCE),
            (special("bo/first.py", 0o120777), b"/etc/passwd"),
            ("cy/first.py", SOURCE),
            ("cy/../../x", b""),
            ("../first.py", b""),
            *((f"di/{place}", b"") for place in range(MAX_MEMBERS)),
            ("di/first.py", SOURCE),
        )
    )
    collection = collected(export)
    problems = {each.students[0].id: each.read().problem for each in collection.submissions}
    assert problems == {
        "ann": "",
        "bo": "hw.zip: bo/first.py is a link, and archives with such members are not read.",
        "cy": "hw.zip: cy/../../x leads out of the archive.",
        "di": "hw.zip holds more than 2,000 members.",
    }
    assert [str(each) for each in collection.refused] == [
        "hw.zip: cy/../../x leads out of the archive",
        "hw.zip: ../first.py leads out of the archive",
    ]


@pytest.mark.parametrize("name", ["a.tar.gz", "a.7z", "a.rar"])
def test_other_archives_are_refused_with_advice(name: str, read: Read) -> None:
    wanted = f"{name} is an archive of a kind that is not read: hand in first.py, by itself or in a zip."
    assert read({name: b"x"}).problem == wanted


def test_names_in_utf8_that_do_not_say_so_are_read(tmp_path: Path, collected: Collected) -> None:
    data = packed(("Zo\u00eb/first.py", SOURCE))
    at = data.index(b"PK\x01\x02")
    data = data[:6] + b"\0\0" + data[8 : at + 8] + b"\0\0" + data[at + 10 :]
    (tmp_path / "hw.zip").write_bytes(data)
    assert [each.students[0].id for each in collected(tmp_path / "hw.zip").submissions] == ["Zo\u00eb"]


@pytest.mark.parametrize(
    "path", ["first.py", "student/first.py", "hw/first.py", "hw/student/first.py", "first-1.py", "first (2).py"]
)
def test_a_lesson_is_found_where_it_may_lie(path: str, read: Read) -> None:
    assert read({path: SOURCE}).modules == {"first": SOURCE}


@pytest.mark.parametrize("path", ["first.py", "student/first.py", "hw/student/first.py", "hw\\first.py"])
def test_a_lesson_is_found_in_a_zip(path: str, read: Read) -> None:
    assert read({"work.zip": zipped({path: SOURCE, "__MACOSX/._first.py": b"x", ".DS_Store": b"x"})}).modules == {
        "first": SOURCE
    }


def test_the_top_counts_before_the_folders_as_when_graded_alone(read: Read) -> None:
    contents = read({"first.py": SOURCE, "student/first.py": b"x", "student/second.py": b"x", "old.zip": GOOD})
    assert contents.modules == {"first": SOURCE}
    assert contents.ignored == ("student/ holds lesson files too, which do not count", "not read: old.zip")


def test_a_lesson_in_two_folders_is_refused(read: Read) -> None:
    wanted = "first.py is there twice, as a/first.py and b/student/first.py: hand in one."
    assert read({"a/first.py": SOURCE, "b/student/first.py": SOURCE}).problem == wanted


def test_two_folders_and_two_zips_may_share_the_lessons_out(read: Read) -> None:
    assert set(read({"a/first.py": SOURCE, "b/second.py": SOURCE}).modules) == {"first", "second"}


def test_two_zips_may_share_the_lessons_out(read: Read) -> None:
    assert set(read({"a.zip": GOOD, "b.zip": zipped({"second.py": SOURCE})}).modules) == {"first", "second"}


def test_a_single_file_of_any_name_is_the_one_lesson_asked_for(read: Read) -> None:
    contents = read({"my work.py": b"x = 1\n", "conftest.py": b"", "setup.py": b""})
    assert contents.modules == {"first": b"x = 1\n"}
    assert contents.ignored == ("not read: conftest.py, setup.py",)


@pytest.mark.parametrize(
    ("source", "slug"),
    [(b"def halve(x): ...\n", "second"), (b"async def double(x): ...\ndef shared(x): ...\n", "first")],
)
def test_with_several_lessons_asked_a_file_is_the_one_it_defines_most_of(source: bytes, slug: str, read: Read) -> None:
    assert read({"my.py": source}, "first", "second").modules == {slug: source}


@pytest.mark.parametrize(
    ("source", "says"),
    [
        (b"x = 1\n", "defines no exercise of one"),
        (b"def shared(x): ...\n", "defines as much of first as of second"),
        (b"def (", "cannot be read as Python"),
        (b"\0", "cannot be read as Python"),
        (b"(" * 5000, "cannot be read as Python"),
    ],
)
def test_a_file_that_could_be_any_lesson_is_refused(source: bytes, says: str, read: Read) -> None:
    assert says in read({"my.py": source}, "first", "second").problem


@pytest.mark.parametrize(
    ("files", "says"),
    [
        ({}, "There is nothing in it."),
        ({"a.ipynb": b"{}"}, "a.ipynb is a Jupyter notebook, which is not read: hand in first.py"),
        ({"a.py": b"", "b.py": b""}, "None of its 2 Python files is named after a lesson, as first.py is: a.py, b.py."),
        ({"a.txt": b"", "b.pdf": b""}, "It holds no lesson file such as first.py, .*, but a.txt, b.pdf."),
        ({"a/b/c/first.py": b""}, "It holds no lesson file such as first.py"),
        ({"evil\x1b[2J\n.txt": b""}, r"but evil\\x1b\[2J\\n.txt."),
        ({f"{place}.zip": b"" for place in range(11)}, "There are 11 zip files in it"),
        ({str(place): b"" for place in range(MAX_MEMBERS + 1)}, "holds more than 2,000 files"),
    ],
)
def test_what_cannot_be_graded_says_why(files: dict[str, bytes], says: str, read: Read) -> None:
    import re

    contents = read(files)
    assert re.search(says, contents.problem)
    assert not contents.modules


def test_a_broken_zip_beside_a_good_one_is_only_noted(read: Read) -> None:
    contents = read({"a.zip": GOOD, "b.zip": b"x"})
    assert contents.modules == {"first": SOURCE}
    assert contents.ignored == ("b.zip is no zip archive, or a damaged one",)


def test_a_huge_module_is_cut_off(read: Read) -> None:
    assert len(read({"first.py": b"#" * (3 * MAX_BYTES)}).modules["first"]) == MAX_BYTES + 1


def test_records_come_along_within_bounds(read: Read) -> None:
    files = {"first.py": SOURCE, "log/a.jsonl": b"1", "log/laptop/b.jsonl": b"2", "log/note.txt": b"", "c.jsonl": b"x"}
    assert read(files).logs == (b"1", b"2")
    many = {f"records/{place:02}.jsonl": b"x" for place in range(30)}
    contents = read(many)
    assert len(contents.logs) == 20
    assert "of the records no more than 20 files are read" in contents.ignored


def test_records_in_a_zip_come_along(read: Read) -> None:
    files = {"student/first.py": SOURCE, "records/a.jsonl": b"1", "records/huge.jsonl": bytes(17_000_000)}
    contents = read({"work.zip": zipped(files)})
    assert contents.logs == (b"1",)
    assert any("the records are more than 16 MB" in note for note in contents.ignored)
