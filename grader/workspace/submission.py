"""A submission: the source text of each lesson's module, read without running any of it."""

import os
import re
import stat
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from grader.course.model import Course
from grader.errors import UserError

MAX_BYTES = 1_000_000
MODULE_FOLDER = "student"

ProblemKind = Literal["missing", "not_a_file", "unreadable", "too_large", "encoding", "nul", "syntax"]

# PEP 263. Other codecs are refused: a text must mean the same to the reader, the static analysis and the worker.
_DECLARATION = re.compile(rb"^[ \t\f]*#.*?coding[:=][ \t]*([-\w.]+)")
_DECLARABLE = {
    **dict.fromkeys(("utf-8", "utf8", "utf-8-sig", "ascii", "us-ascii"), "utf-8"),
    **dict.fromkeys(("latin-1", "latin1", "iso-8859-1", "iso8859-1"), "latin-1"),
    **dict.fromkeys(("cp1252", "windows-1252"), "cp1252"),
}
_IN_WORKSPACE = re.compile(rf"\b{MODULE_FOLDER}/(\w+\.py)\b")
_BLANK_LINE = re.compile(rb"^[ \t\f]*(?:#.*)?$")


@dataclass(frozen=True, slots=True)
class Problem:
    """Why a file cannot be graded. `message` is for a person: what is wrong, in which file and line, what to do."""

    kind: ProblemKind
    message: str
    line: int | None = None

    def __str__(self) -> str:
        return self.message


@dataclass(frozen=True, slots=True)
class SourceFile:
    """One lesson's module: its text with `\\n` line ends and no byte-order mark.

    It can be run exactly when `problem` is None. `text` is None when there is nothing that could be read; a file with
    a syntax error has both a text and a problem.
    """

    slug: str
    path: Path
    text: str | None
    problem: Problem | None


@dataclass(frozen=True, slots=True)
class Submission:
    """The lesson modules of one folder, in the order of the course. loose: whether they came as files by themselves, so
    that no message should speak of the folder that they have in a workspace."""

    folder: Path
    files: tuple[SourceFile, ...]
    loose: bool = False

    def called(self, text: str) -> str:
        """A text in which the modules are called as whoever handed them in knows them."""
        return _IN_WORKSPACE.sub(r"\1", text) if self.loose else text

    def file(self, slug: str) -> SourceFile:
        """The module of a lesson. Raises KeyError for a lesson that the course does not have."""
        for file in self.files:
            if file.slug == slug:
                return file
        raise KeyError(slug)

    def sources(self) -> dict[str, str]:
        """The text of every module that can be run, by slug."""
        return {file.slug: file.text for file in self.files if file.problem is None and file.text is not None}


def module_folder(folder: Path, course: Course) -> Path:
    """The folder that holds the lesson modules: `folder` itself or the `student` in it.

    Raises UserError when neither holds one.
    """
    for candidate in (folder, folder / MODULE_FOLDER):
        if holds_modules(candidate, course):
            return candidate
    if not folder.exists():
        raise UserError(f"There is no folder {folder}. Name the folder that holds the lesson files.")
    first = course.lessons[0].slug
    raise UserError(f"{folder} holds no lesson file such as {first}.py, and no folder {MODULE_FOLDER}/ with one.")


def holds_modules(folder: Path, course: Course) -> bool:
    """Whether at least one lesson's module lies in the folder."""
    return any(os.path.lexists(folder / f"{lesson.slug}.py") for lesson in course.lessons)


def read_submission(folder: Path, course: Course) -> Submission:
    """Read the lesson modules that lie in `folder`; whatever is wrong with one is kept with it, and nothing raises."""
    return Submission(folder, tuple(read_source(folder / f"{lesson.slug}.py") for lesson in course.lessons))


def read_source(path: Path) -> SourceFile:
    """Read one module. Links, devices and anything over 1 MB are not opened; nothing is executed."""
    shown = f"{path.parent.name}/{path.name}"
    raw = _read_bytes(path, shown)
    return SourceFile(path.stem, path, None, raw) if isinstance(raw, Problem) else _source(path, shown, raw)


def read_module(path: Path) -> bytes | Problem:
    """A module's bytes as they are, or why they are not read: missing, a link, no file, too large."""
    return _read_bytes(path, f"{path.parent.name}/{path.name}")


def submission_of(name: str, modules: Mapping[str, bytes], course: Course) -> Submission:
    """A submission whose modules were read from somewhere else, an archive say: their bytes by lesson.

    name: whose it is. At most MAX_BYTES + 1 bytes of each are needed: what is longer is refused all the same.
    """
    folder = Path(name)
    return Submission(folder, tuple(_handed_in(folder, modules, lesson.slug) for lesson in course.lessons), loose=True)


def _handed_in(folder: Path, modules: Mapping[str, bytes], slug: str) -> SourceFile:
    path, shown = folder / f"{slug}.py", f"{slug}.py"
    if slug not in modules:
        return SourceFile(slug, path, None, Problem("missing", f"{shown} was not handed in."))
    if len(modules[slug]) > MAX_BYTES:
        return SourceFile(slug, path, None, _too_large(shown))
    return _source(path, shown, modules[slug])


def _source(path: Path, shown: str, raw: bytes) -> SourceFile:
    text = _decode(raw, shown)
    if isinstance(text, Problem):
        return SourceFile(path.stem, path, None, text)
    return SourceFile(path.stem, path, text, _syntax_problem(text, shown))


def _too_large(shown: str) -> Problem:
    return Problem("too_large", f"{shown} is larger than 1 MB, so it is not read. A lesson needs a few KB.")


def _read_bytes(path: Path, shown: str) -> bytes | Problem:
    # O_NOFOLLOW and O_NONBLOCK: a link or a pipe that replaces the file after `lstat` must not be followed or hang us.
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    try:
        mode = path.lstat().st_mode
        if stat.S_ISLNK(mode):
            return Problem("not_a_file", f"{shown} is a link and is not followed. Put the file itself there.")
        if not stat.S_ISREG(mode):
            kind = "a folder" if stat.S_ISDIR(mode) else "no ordinary file"
            return Problem("not_a_file", f"{shown} is {kind}. A Python file of that name is expected.")
        with os.fdopen(os.open(path, flags), "rb") as file:
            raw = file.read(MAX_BYTES + 1)
    except FileNotFoundError:
        return Problem("missing", f"{shown} is missing. `anatomy start` writes the files that are missing.")
    except OSError as error:
        return Problem("unreadable", f"{shown} cannot be read: {error.strerror or error}.")
    if len(raw) > MAX_BYTES:
        return _too_large(shown)
    return raw


def _decode(raw: bytes, shown: str) -> str | Problem:
    if b"\0" in raw:
        line = _line_at(raw, raw.index(b"\0"))
        says = f"{shown}, line {line}: there is a NUL byte here, as in UTF-16 or a damaged file. Save it as UTF-8."
        return Problem("nul", says, line)
    raw = raw.removeprefix(b"\xef\xbb\xbf")
    encoding = codec_of(raw)
    if encoding is None:
        says = f"{shown} declares an encoding that is not read here. Save it as UTF-8 and remove the `coding` comment."
        return Problem("encoding", says, 1)
    try:
        text = raw.decode(encoding)
    except UnicodeDecodeError as error:
        line = _line_at(raw, error.start)
        return Problem("encoding", f"{shown}, line {line}: {_not_utf8(raw[error.start])}", line)
    return text.replace("\r\n", "\n").replace("\r", "\n")


def codec_of(raw: bytes) -> str | None:
    """The codec of a source by its `coding` comment (PEP 263), UTF-8 without one; None if it is one we do not read."""
    for line in re.split(rb"\r\n|\r|\n", raw[:4096].removeprefix(b"\xef\xbb\xbf"), maxsplit=2)[:2]:
        if match := _DECLARATION.match(line):
            return _DECLARABLE.get(match[1].decode("ascii", "replace").lower().replace("_", "-"))
        if not _BLANK_LINE.match(line):
            break
    return "utf-8"


def _not_utf8(byte: int) -> str:
    character = bytes([byte]).decode("cp1252", "replace")
    guess = f"It looks like Latin-1 ({character!r} there). " if character.isprintable() and byte >= 0xA0 else ""
    return f"the byte 0x{byte:02x} is not UTF-8. {guess}Save the file as UTF-8."


def _line_at(raw: bytes, offset: int) -> int:
    return len(re.findall(rb"\r\n|\r|\n", raw[:offset])) + 1


def _syntax_problem(text: str, shown: str) -> Problem | None:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            # `compile` finds what `ast.parse` lets pass, such as a `return` outside a function. Nothing is run.
            compile(text, shown, "exec", dont_inherit=True)
    except SyntaxError as error:
        return Problem("syntax", _syntax_message(error, text, shown), error.lineno)
    except (RecursionError, MemoryError, OverflowError, ValueError) as error:
        reason = str(error) or type(error).__name__
        return Problem("syntax", f"{shown} is too deeply nested for Python to read ({reason}). Simplify it.")
    return None


def _syntax_message(error: SyntaxError, text: str, shown: str) -> str:
    what = {"IndentationError": "wrong indentation: ", "TabError": "tabs and spaces mixed: "}.get(
        type(error).__name__, ""
    )
    lines = text.split("\n")
    if not error.lineno or error.lineno > len(lines):
        return f"{shown}: {what}{error.msg}."
    message = f"{shown}, line {error.lineno}: {what}{error.msg}"
    line = lines[error.lineno - 1].rstrip()
    column = min(max((error.offset or 1) - 1, 0), len(line))
    before = line[:column].expandtabs(4)
    whole = line.expandtabs(4)
    indent = len(whole) - len(whole.lstrip())
    start = max(len(before) - 100, indent)  # a very long line is shown from shortly before the caret on
    return f"{message}\n    {whole[start : start + 116].rstrip()}\n    {' ' * max(len(before) - start, 0)}^"
