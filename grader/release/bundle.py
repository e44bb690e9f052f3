"""Writing a student's bundle: whole or not at all, and only after the proof that nothing hidden is in it."""

from __future__ import annotations

import os
import re
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from grader.course.model import Course
from grader.course.stubs import PACKAGE_SOURCE, stub_source
from grader.edition import bundle, bundle_folder, manifest
from grader.errors import GraderFault, UserError
from grader.options import DEFAULT_SEED
from grader.places import engine_folder, suites_folder
from grader.release.excerpt import excerpt
from grader.release.modules import imported_packages, modules_of_a_bundle
from grader.release.recording import INSTANCES, quiz_without_mistakes, record_answers, record_keys
from grader.release.texts import license_text, project_file, readme, requirements
from grader.review.questions.load import quiz_path

_TEMPLATES = Path("render/templates")
_PAGE = "report.html"
"""The one page that a student's commands make."""
_USES = re.compile(r"""\{%-?\s*(?:extends|include|import|from)\s+["']([\w./-]+)["']""")
_QUIZ = "quiz.yaml"


@dataclass(frozen=True, slots=True)
class Released:
    """What a bundle holds. tests: public ones; size: in bytes."""

    folder: Path
    exercises: int
    tests: int
    questions: int
    files: int
    size: int


def release(folder: Path, course: Course) -> Released:
    """Write the bundle into a folder that is new or empty.

    The reference answers its public tests on the way, in this process, which must not have opened the suites before.
    Raises UserError when the folder is no place for it, GraderFault when the course itself is at fault: a public test
    that the reference fails, a secret that would get into the bundle.
    """
    from grader.release.proof import hidden_in

    if bundle() is not None:
        raise UserError("This is a student's edition itself; release one from the whole course.")
    with _new_folder(folder) as unfinished:
        tests, questions = _fill(unfinished, course)
        for cache in [*unfinished.rglob("__pycache__")]:  # of the suites, which were run on the way
            shutil.rmtree(cache)
        if leaks := hidden_in(unfinished):
            raise GraderFault("something hidden would be in the bundle, so none was written:\n" + "\n".join(leaks))
    files = [path for path in folder.rglob("*") if path.is_file()]
    size = sum(path.stat().st_size for path in files)
    return Released(folder, len(course.exercises), tests, questions, len(files), size)


def _fill(root: Path, course: Course) -> tuple[int, int]:
    """Write everything. Returns the number of tests and of quiz questions."""
    engine = engine_folder()
    modules = modules_of_a_bundle(engine)
    for path in [*modules, Path(engine.name) / "py.typed", *(Path(engine.name) / each for each in _templates(engine))]:
        _write(root / path, (engine.parent / path).read_bytes())
    suites = root / engine.name / "suites"
    _write_text(suites / "__init__.py", (engine / "suites" / "__init__.py").read_text(encoding="utf-8"))
    data = bundle_folder(root / engine.name)
    _write_text(data / "bundle.json", manifest(DEFAULT_SEED, INSTANCES))
    questions = 0
    for lesson in course.lessons:
        hidden = (suites_folder() / f"test_{lesson.slug}.py").read_text(encoding="utf-8")
        _write_text(suites / f"test_{lesson.slug}.py", excerpt(hidden, lesson.slug).text)
        stub = stub_source(lesson)
        _write_text(data / "stubs" / f"{lesson.slug}.py", stub)
        _write_text(root / "student" / f"{lesson.slug}.py", stub)
        for path in sorted(lesson.folder.rglob("*")):
            if path.is_file() and path.name != _QUIZ:
                _write(root / "lessons" / path.relative_to(course.folder), path.read_bytes())
        if quiz_path(lesson).is_file():
            keys = record_keys(lesson)
            questions += keys.count('"version":') - 1
            _write_text(root / "lessons" / lesson.slug / _QUIZ, quiz_without_mistakes(lesson))
            _write_text(data / "keys" / f"{lesson.slug}.json", keys)
    _write_text(root / "student" / "__init__.py", PACKAGE_SOURCE)
    _write(root / "lessons" / "course.yaml", (course.folder / "course.yaml").read_bytes())
    tests = record_answers(
        course, suites, DEFAULT_SEED, lambda slug, answers: _write(data / "answers" / f"{slug}.bin", answers)
    )
    licence = license_text()
    if licence is not None:
        _write_text(root / "LICENSE", licence)
    required = requirements(imported_packages(modules, engine.parent))
    _write_text(root / "pyproject.toml", project_file(required, licensed=licence is not None))
    _write_text(root / "README.md", readme(course, tests, INSTANCES))
    return tests, questions


def _templates(engine: Path) -> list[Path]:
    """The template of the report, those that it is made of, and the style sheets; relative to the engine."""
    found: list[str] = []
    waiting = [_PAGE]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.append(name)
            waiting += _USES.findall((engine / _TEMPLATES / name).read_text(encoding="utf-8"))
    sheets = [path.name for path in (engine / _TEMPLATES).glob("*.css")]
    return [_TEMPLATES / name for name in sorted([*found, *sheets])]


@contextmanager
def _new_folder(folder: Path) -> Iterator[Path]:
    """A folder beside the one that is wanted, which takes its place when all is done. Whatever stops this before leaves
    nothing that could be taken for a bundle."""
    folder = folder.absolute()
    try:
        if folder.is_dir() and any(folder.iterdir()):
            raise UserError(f"{folder} is not empty. Name a folder that is new or empty; nothing was written.")
        folder.parent.mkdir(parents=True, exist_ok=True)
        unfinished = Path(tempfile.mkdtemp(prefix=f".{folder.name}.unfinished-", dir=folder.parent))
    except OSError as error:
        raise UserError(f"{folder} cannot be made: {error.strerror or error}. Choose another folder.") from error
    try:
        yield unfinished
        unfinished.chmod(0o777 & ~_umask())
        unfinished.replace(folder)  # POSIX lets a folder take the place of an empty one
    except OSError as error:
        raise UserError(
            f"{folder} could not be written: {error.strerror or error}. Choose another folder; nothing was left there."
        ) from error
    finally:
        shutil.rmtree(unfinished, ignore_errors=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask


def _write(path: Path, content: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(content)


def _write_text(path: Path, text: str) -> None:
    _write(path, text.encode("utf-8"))
