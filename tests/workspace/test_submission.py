"""Source text is read whatever it is, problems are named with file and line, and nothing is executed."""

import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.course.model import Course
from grader.errors import UserError
from grader.workspace import SourceFile, module_folder, read_source, read_submission, submission_of

GOOD = "def f():\n    return 1\n"


@pytest.fixture
def student(tmp_path: Path) -> Path:
    folder = tmp_path / "student"
    folder.mkdir()
    return folder


def read(student: Path, raw: bytes) -> SourceFile:
    (student / "first.py").write_bytes(raw)
    return read_source(student / "first.py")


def test_files_that_came_by_themselves_are_called_so(student: Path, made_course: Course) -> None:
    says = "student/first.py could not be imported: NameError (student/first.py, line 3); my_student/x.txt"
    assert submission_of("ada", {}, made_course).called(says) == says.replace("student/first", "first")
    assert read_submission(student, made_course).called(says) == says


@pytest.mark.parametrize(
    "raw",
    [
        GOOD.encode(),
        b"\xef\xbb\xbf" + GOOD.encode(),
        GOOD.replace("\n", "\r\n").encode(),
        GOOD.replace("\n", "\r").encode(),
    ],
    ids=["plain", "byte-order mark", "CRLF", "CR"],
)
def test_byte_order_mark_and_line_ends_make_no_difference(student: Path, raw: bytes) -> None:
    source = read(student, raw)
    assert (source.slug, source.text, source.problem) == ("first", GOOD, None)


@pytest.mark.parametrize("declared", ["latin-1", "iso-8859-1", "cp1252"])
def test_a_declared_latin_encoding_is_read(student: Path, declared: str) -> None:
    source = read(student, f"# -*- coding: {declared} -*-\nx = 'é'\n".encode("latin-1"))
    assert source.problem is None
    assert source.text is not None
    assert source.text.endswith("x = 'é'\n")


@pytest.mark.parametrize(
    ("raw", "kind", "line", "message"),
    [
        (
            b"x = 1\r\n# caf\xe9\r\n",
            "encoding",
            2,
            "student/first.py, line 2: the byte 0xe9 is not UTF-8. It looks like Latin-1 ('é' there). Save the file as UTF-8.",
        ),
        (
            b"x = '\x81'",
            "encoding",
            1,
            "student/first.py, line 1: the byte 0x81 is not UTF-8. Save the file as UTF-8.",
        ),
        (
            b"#!/usr/bin/python\n# vim: set fileencoding=utf-7 :\n",
            "encoding",
            1,
            "student/first.py declares an encoding that is not read here. Save it as UTF-8 and remove the `coding` comment.",
        ),
        (
            b"x = 1\ny = '\x00'\n",
            "nul",
            2,
            "student/first.py, line 2: there is a NUL byte here, as in UTF-16 or a damaged file. Save it as UTF-8.",
        ),
        (
            b"x = 1\n" * 170_000,
            "too_large",
            None,
            "student/first.py is larger than 1 MB, so it is not read. A lesson needs a few KB.",
        ),
    ],
    ids=["latin-1", "other byte", "declared", "NUL", "over 1 MB"],
)
def test_what_is_no_source_text_is_named(student: Path, raw: bytes, kind: str, line: int, message: str) -> None:
    source = read(student, raw)
    assert source.text is None
    assert source.problem is not None
    assert (source.problem.kind, source.problem.line, str(source.problem)) == (kind, line, message)


def test_utf_16_is_not_taken_for_python(student: Path) -> None:
    source = read(student, GOOD.encode("utf-16"))
    assert source.problem is not None
    assert source.problem.kind == "nul"


@pytest.mark.parametrize(
    ("text", "line", "parts"),
    [
        ("def f():\n    return (1 +\n", 2, ["line 2: '(' was never closed", "\n    return (1 +\n           ^"]),
        ("def f():\nreturn 1\n", 2, ["line 2: wrong indentation: expected an indented block", "\n    return 1\n    ^"]),
        ("if 1:\n    x = 1\n\ty = 2\n", 3, ["line 3: "]),
        ("return 1\n", 1, ["line 1: 'return' outside function", "\n    return 1\n    ^"]),
        ("\tx = = 1\n", 1, ["line 1: wrong indentation: unexpected indent"]),
        ("y = [" + "1, " * 100 + "= 2]\n", 1, ["line 1: invalid syntax"]),
    ],
)
def test_a_syntax_error_is_shown_with_its_line_and_a_caret(
    student: Path, text: str, line: int, parts: list[str]
) -> None:
    source = read(student, text.encode())
    assert source.text == text
    assert source.problem is not None
    assert source.problem.kind == "syntax"
    assert source.problem.line == line
    for part in parts:
        assert part in source.problem.message
    assert source.problem.message.startswith("student/first.py, line")
    shown = source.problem.message.split("\n")
    assert max(map(len, shown[1:])) <= 120
    assert shown[-1].strip() == "^"
    assert len(shown[-1]) <= len(shown[-2]) + 1


@pytest.mark.parametrize("text", ["(" * 5000, "x = " + "-" * 200_000 + "1", "x = " + "[" * 199 + "]" * 199])
def test_no_depth_of_nesting_ends_the_reader(student: Path, text: str) -> None:
    source = read(student, text.encode())
    assert source.text == text


def test_odd_escapes_make_no_warning_and_no_problem(student: Path) -> None:
    assert read(student, b"x = '\\d'\nassert (x, 'always true')\n").problem is None


def test_nothing_of_it_is_executed(student: Path, tmp_path: Path) -> None:
    mark = tmp_path / "mark"
    assert read(student, f"open({str(mark)!r}, 'w').close()\n".encode()).problem is None
    assert not mark.exists()


def test_a_missing_file_says_how_to_get_one(student: Path) -> None:
    source = read_source(student / "first.py")
    assert source.problem is not None
    assert source.problem.kind == "missing"
    assert str(source.problem) == ("student/first.py is missing. `anatomy start` writes the files that are missing.")


@pytest.mark.skipif(sys.platform == "win32", reason="making links needs rights there")
def test_a_link_is_not_followed(student: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.py").write_text(GOOD)
    (student / "first.py").symlink_to(tmp_path / "secret.py")
    source = read_source(student / "first.py")
    assert source.text is None
    assert str(source.problem) == "student/first.py is a link and is not followed. Put the file itself there."


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes with a name there")
def test_a_pipe_is_not_waited_for(student: Path) -> None:
    os.mkfifo(student / "first.py")
    source = read_source(student / "first.py")
    assert str(source.problem) == ("student/first.py is no ordinary file. A Python file of that name is expected.")


def test_a_folder_of_that_name_is_named(student: Path) -> None:
    (student / "first.py").mkdir()
    assert str(read_source(student / "first.py").problem) == (
        "student/first.py is a folder. A Python file of that name is expected."
    )


def test_one_bad_file_leaves_the_others_good(student: Path, made_course: Course) -> None:
    (student / "first.py").write_text("def f(:\n")
    (student / "second.py").write_text(GOOD)
    (student / "conftest.py").write_text("raise SystemExit\n")
    submission = read_submission(student, made_course)
    assert [file.slug for file in submission.files] == ["first", "second"]
    assert submission.sources() == {"second": GOOD}
    assert submission.file("first").problem is not None
    with pytest.raises(KeyError):
        submission.file("conftest")


def test_the_folder_of_modules_may_be_named_itself_or_the_one_above(student: Path, made_course: Course) -> None:
    (student / "second.py").write_text(GOOD)
    assert module_folder(student, made_course) == student
    assert module_folder(student.parent, made_course) == student


def test_a_folder_without_modules_is_refused(student: Path, made_course: Course, tmp_path: Path) -> None:
    with pytest.raises(UserError, match=r"holds no lesson file such as first\.py, and no folder student/ with one\.$"):
        module_folder(student, made_course)
    with pytest.raises(UserError, match=r"^There is no folder .*nowhere\. Name the folder"):
        module_folder(tmp_path / "nowhere", made_course)


@given(raw=st.binary(max_size=200) | st.text(max_size=200).map(lambda text: text.encode("utf-8", "surrogatepass")))
def test_no_bytes_end_the_reader(tmp_path_factory: pytest.TempPathFactory, raw: bytes) -> None:
    source = read(tmp_path_factory.mktemp("student"), raw)
    assert (source.text is not None) or (source.problem is not None)
    if source.problem is None:
        compile(source.text or "", "first.py", "exec")
