"""What a student must not find in a bundle, gathered from the course: forms of code, sentences, lines, names."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path

from grader.authority import flawed_function
from grader.course.functions import parse
from grader.course.model import Course, Lesson
from grader.course.stubs import stub_source
from grader.places import engine_folder, reference_folder, suites_folder
from grader.release.excerpt import PUBLIC, excerpt
from grader.release.fingerprint import Outline, prints
from grader.release.longtexts import SHORTEST, LongTexts, flat

_SECRET_ROOMS = ("misconceptions", "variations")
FEWEST_OF_OTHERS = 14
"""Parts of a body that is looked for though it is no answer of the reference's."""
_Named = ast.FunctionDef | ast.ClassDef


@dataclass
class Hidden:
    """forms: of code, with where they are from; texts: sentences and lines, spaces made one, likewise; tests: names of
    hidden tests that no public one has; ids: of misconceptions;
    outlines: of all forms."""

    forms: dict[str, str] = field(default_factory=dict)
    texts: dict[str, str] = field(default_factory=dict)
    tests: set[str] = field(default_factory=set)
    ids: set[str] = field(default_factory=set)
    outlines: set[Outline] = field(default_factory=set)


def hidden_things(course: Course) -> Hidden:
    """All of it. What stubs and pages say is no secret; what public tests say is none as far as tests go, but nothing
    of the answers or mistakes becomes public by standing in a public test."""
    pages, excerpts = list(_pages(course)), [_public_suite(lesson) for lesson in course.lessons]
    hidden = Hidden()
    for path in _secret_files():
        text = path.read_text(encoding="utf-8")
        _add(hidden, parse(text), text, f"{path.parent.name}/{path.name}")
    for exercise in course.exercises:
        flawed = flawed_function(exercise)
        for misconception in flawed.misconceptions if flawed else ():
            hidden.ids.add(misconception.id)
            if len(says := flat(misconception.says)) >= SHORTEST:
                hidden.texts.setdefault(says, f"the misconception {misconception.id}")
    _take_out(hidden, pages)
    suites = Hidden()
    public = {node.name for source in excerpts for node in ast.walk(parse(source)) if isinstance(node, _Named)}
    for path in sorted(suites_folder().glob("test_*.py")):
        text = path.read_text(encoding="utf-8")
        for node in ast.walk(parse(text)):
            if isinstance(node, ast.FunctionDef) and not _is_public(node) and node.name != "__init__":
                written = "\n".join(text.split("\n")[node.lineno - 1 : node.end_lineno])
                _add(suites, node, written, f"suites/{path.name}: {node.name}")
                if node.name.startswith("test_") and node.name not in public:
                    hidden.tests.add(node.name)
    for source in excerpts:
        for found in prints(parse(source), suites.outlines):
            suites.forms.pop(found.form, None)
    _take_out(suites, [*pages, *_flat_code(excerpts)])
    hidden.forms = suites.forms | hidden.forms
    hidden.texts = suites.texts | hidden.texts
    hidden.outlines |= suites.outlines
    return hidden


def literals(tree: ast.AST) -> Iterator[str]:
    """Every literal text; of a formatted one its literal pieces."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


def _secret_files() -> Iterator[Path]:
    yield from sorted(reference_folder().glob("*.py"))
    for room in _SECRET_ROOMS:
        yield from sorted((engine_folder() / room).rglob("*.py"))


def _add(hidden: Hidden, tree: ast.AST, text: str, where: str) -> None:
    for found in prints(tree):
        if found.size < FEWEST_OF_OTHERS and not where.startswith("reference/"):
            continue
        hidden.forms.setdefault(found.form, f"{where}: {found.name}")
        hidden.outlines.add(found.outline)
    for literal in literals(tree):
        # A paragraph at a time: whoever copies a docstring may leave a part of it out.
        for paragraph in literal.split("\n\n"):
            if len(sentence := flat(paragraph)) >= SHORTEST:
                hidden.texts.setdefault(sentence, where)
    for line in text.split("\n"):
        code = flat(line.partition("  #")[0])
        if len(code) >= SHORTEST and not code.startswith(("#", "def ", "from ", "import ", '"""')):
            hidden.texts.setdefault(code, where)


def _is_public(node: ast.FunctionDef) -> bool:
    return any(isinstance(mark, ast.Name) and mark.id == PUBLIC for mark in node.decorator_list)


def _pages(course: Course) -> Iterator[str]:
    """What every student reads: stubs, pages, and what the lessons' files say."""
    for lesson in course.lessons:
        yield from _flat_code([stub_source(lesson)])
        for pattern in ("*.md", "*.yaml"):
            yield from (flat(path.read_text(encoding="utf-8")) for path in sorted(lesson.folder.glob(pattern)))


def _flat_code(sources: Iterable[str]) -> Iterator[str]:
    """Code as it is written, and its literals as they are read."""
    for source in sources:
        yield flat(source)
        yield flat(" ".join(literals(parse(source))))


def _public_suite(lesson: Lesson) -> str:
    return excerpt((suites_folder() / f"test_{lesson.slug}.py").read_text(encoding="utf-8"), lesson.slug).text


def _take_out(hidden: Hidden, public: Iterable[str]) -> None:
    for text in {found for found, _ in LongTexts(hidden.texts).found_in(" ".join(public))}:
        del hidden.texts[text]
