"""Putting one function back to its stub, with the learner's text kept aside."""

import ast
import os
import re
import tempfile
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from grader.course.functions import functions, import_lines, parse
from grader.course.model import Course, Exercise
from grader.course.stubs import function_stub, stub_source
from grader.errors import UserError
from grader.workspace.folder import Workspace
from grader.workspace.submission import SourceFile, codec_of, read_source

KEPT_FOLDER = ".kept"


@dataclass(frozen=True, slots=True)
class Reset:
    """What `reset` did: the module, where its text before lies (None if nothing was lost), and a sentence."""

    module: Path
    kept: Path | None
    says: str


def reset(workspace: Workspace, exercise: Exercise, course: Course, now: datetime) -> Reset:
    """Put one function of a module back to its stub. The whole file as it was is kept in `student/.kept/`.

    A function that is missing is added at the end, a file that is missing is written. In a file with a syntax error
    the function is found by its `def` line. Raises UserError if it cannot be found or the files cannot be written.
    """
    lesson = course.lesson(exercise.lesson)
    module = workspace.module(lesson.slug)
    source = read_source(module)
    shown = f"{module.parent.name}/{module.name}"
    if source.problem and source.problem.kind == "missing":
        _replace(module, stub_source(lesson).encode())
        return Reset(module, None, f"{shown} was missing; all of its stubs are there now.")
    if source.text is None:
        advice = "Move the file away; `anatomy start` then writes a new one."
        raise UserError(f"{exercise.name} cannot be reset. {source.problem} {advice}")
    stub, imports = function_stub(lesson, exercise)
    text, says = _with_stub(source, source.text, exercise, stub, imports, shown)
    if text == source.text:
        return Reset(module, None, f"{exercise.name} in {shown} is its stub already; nothing was changed.")
    raw = module.read_bytes()
    content = _encoded_like(raw, text, shown)
    kept = _keep(module, raw, now)
    _replace(module, content)
    return Reset(module, kept, says)


def _with_stub(
    source: SourceFile, text: str, exercise: Exercise, stub: str, imports: tuple[str, ...], shown: str
) -> tuple[str, str]:
    """The text with the stub in place of the function, and what happened in a sentence."""
    name = exercise.name
    try:
        tree = parse(text)
    except (SyntaxError, RecursionError, MemoryError, ValueError):
        span = _span_by_lines(text, name)
        if span is None:
            raise UserError(
                f"{name} cannot be reset, because the file cannot be read as Python and no line begins with "
                f"`def {name}(`. {source.problem}\nMend that line first."
            ) from None
        says = f"{name} in {shown} is its stub again, found by its `def` line because the file has a syntax error."
        text = _splice(text, span, stub)
        return text, says + _remaining_problem(text)
    missing = [line for line in imports if not _binds(tree, line)]
    if missing:
        text = _with_imports(text, tree, missing)
    found = functions(text).get(name)
    if found is None:
        text = f"{text.rstrip()}\n\n\n{stub}" if text.strip() else stub
        return text, f"{shown} had no function {name}; its stub is at the end now."
    return _splice(text, (found.first_line, found.last_line), stub), f"{name} in {shown} is its stub again."


def _span_by_lines(text: str, name: str) -> tuple[int, int] | None:
    """The lines of the last `def name(` at the margin: from its decorators to the last one before the margin again."""
    lines = text.split("\n")
    starts = [number for number, line in enumerate(lines) if re.match(rf"def[ \t]+{name}[ \t]*\(", line)]
    if not starts:
        return None
    first = last = starts[-1]
    while first and lines[first - 1].startswith("@"):
        first -= 1
    for number in range(starts[-1] + 1, len(lines)):
        # A closing bracket at the margin still belongs to a signature or call that was broken over lines.
        if lines[number][:1] not in ("", " ", "\t", ")", "]", "}"):
            break
        if lines[number].strip():
            last = number
    return first + 1, last + 1


def _splice(text: str, span: tuple[int, int], stub: str) -> str:
    lines = text.split("\n")
    return "\n".join([*lines[: span[0] - 1], *stub.rstrip("\n").split("\n"), *(lines[span[1] :] or [""])])


def _remaining_problem(text: str) -> str:
    try:
        parse(text)
    except SyntaxError as error:
        return f" There is still one in line {error.lineno}: {error.msg}."
    return " It can be read as Python again."


def _binds(tree: ast.Module, import_line: str) -> bool:
    return next(iter(import_lines(parse(import_line)))) in import_lines(tree)


def _with_imports(text: str, tree: ast.Module, missing: list[str]) -> str:
    """The text with import lines after the imports at its top, or else after its docstring."""
    after = 0
    for number, node in enumerate(tree.body):
        is_docstring = number == 0 and ast.get_docstring(tree, clean=False) is not None
        if not is_docstring and not isinstance(node, ast.Import | ast.ImportFrom):
            break
        after = node.end_lineno or after
    lines = text.split("\n")
    return "\n".join([*lines[:after], *missing, *lines[after:]])


def _encoded_like(raw: bytes, text: str, shown: str) -> bytes:
    """The text with the line ends, the byte-order mark and the encoding of the file that it replaces."""
    newline = "\r\n" if raw.count(b"\r\n") * 2 > raw.count(b"\n") else "\n"
    mark = b"\xef\xbb\xbf" if raw.startswith(b"\xef\xbb\xbf") else b""
    try:
        return mark + text.replace("\n", newline).encode(codec_of(raw) or "utf-8")
    except UnicodeEncodeError as error:
        character = error.object[error.start]
        raise UserError(
            f"{shown}: the stub needs {character!r}. Save the file as UTF-8, without `coding` comment."
        ) from None


def _keep(module: Path, raw: bytes, now: datetime) -> Path:
    stamp = now.strftime("%Y%m%d-%H%M%S")
    folder = module.parent / KEPT_FOLDER
    number = 1
    while True:
        kept = folder / (f"{module.stem}-{stamp}.py" if number == 1 else f"{module.stem}-{stamp}-{number}.py")
        try:
            folder.mkdir(exist_ok=True)
            with kept.open("xb") as file:
                file.write(raw)
        except FileExistsError:
            if not folder.is_dir():
                raise UserError(f"{folder} is in the way; a folder is needed there. Nothing was changed.") from None
            number += 1
        except OSError as error:
            reason = error.strerror or error
            raise UserError(f"Your text cannot be kept in {folder}: {reason}. Nothing was changed.") from None
        else:
            return kept


def _replace(module: Path, content: bytes) -> None:
    """Write the whole file or nothing: a full disk must not leave half a module."""
    try:
        handle, temporary = tempfile.mkstemp(dir=module.parent, prefix=f".{module.stem}-", suffix=".tmp")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(content)
            Path(temporary).chmod(module.stat().st_mode & 0o777 if module.exists() else 0o644)
            Path(temporary).replace(module)
        except BaseException:
            Path(temporary).unlink(missing_ok=True)
            raise
    except OSError as error:
        raise UserError(f"{module} cannot be written: {error.strerror or error}. It is as it was.") from None
