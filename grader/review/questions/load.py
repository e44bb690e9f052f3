"""From `quiz.yaml` to Questions, with every mistake of a file reported at once: file, line, key and what to write."""

import re
from collections.abc import Iterable
from pathlib import Path

from yaml.nodes import Node

from grader.course import yaml12
from grader.course.mistakes import CourseErrors, Mistake
from grader.course.model import Course, Lesson
from grader.course.reader import Table, kind_of, nearest, read_table
from grader.edition import bundle
from grader.review.questions.model import KINDS, Kind, Option, Place, Question, Slip
from grader.review.questions.read_answer import COMPUTED, literal_answer, read_call, read_slips
from grader.review.questions.read_numbers import read_params, read_tolerance, whole_numbers

_COMMON = ("id", "version", "kind", "concepts", "prompt", "explanation", "hints", "params", "answer", "rungs")
_TOLERANCES = ("atol", "rtol", "range", "exact")
_OWN: dict[Kind, tuple[str, ...]] = {
    "choice": ("options",),
    "multi": ("options",),
    "numeric": (*_TOLERANCES, "also", "one_answer"),
    "shape": ("also", "one_answer"),
    "order": ("also",),
    "short": ("also",),
    "code": ("also",),
    "explain": (),
}
_KEYS = (*_COMMON, *dict.fromkeys(key for keys in _OWN.values() for key in keys))
_KEBAB = re.compile(r"[a-z0-9]+(?:-[a-z0-9]+)*")
_OPTION = re.compile(r"[a-z0-9]+(?:[-_][a-z0-9]+)*")
_RUNGS = range(1, 6)


def quiz_path(lesson: Lesson) -> Path:
    """Where the questions of a lesson are written."""
    return lesson.folder / "quiz.yaml"


def load_quiz(lesson: Lesson) -> tuple[Question, ...]:
    """The questions of a lesson in the order of its `quiz.yaml`. Raises CourseErrors with every mistake in it."""
    mistakes: list[Mistake] = []
    questions = _read_quiz(lesson, mistakes)
    mistakes.extend(repeated_ids(questions))
    if mistakes:
        raise CourseErrors(mistakes)
    return questions


def load_quizzes(course: Course) -> dict[str, tuple[Question, ...]]:
    """The questions of every lesson, by slug. Raises CourseErrors with every mistake in all of them."""
    mistakes: list[Mistake] = []
    quizzes = {lesson.slug: _read_quiz(lesson, mistakes) for lesson in course.lessons}
    mistakes.extend(repeated_ids(question for quiz in quizzes.values() for question in quiz))
    if mistakes:
        raise CourseErrors(mistakes)
    return quizzes


def repeated_ids(questions: Iterable[Question]) -> list[Mistake]:
    """A mistake for every question whose id an earlier one has."""
    first: dict[str, Question] = {}
    mistakes = []
    for question in questions:
        earlier = first.setdefault(question.id, question)
        if earlier is not question and question.id:
            where = f"{earlier.path.parent.name}/{earlier.path.name}, line {earlier.line}"
            says = f"`id` {question.id} is here a second time (first in {where}); an id is never used again"
            mistakes.append(Mistake(question.path, question.line, says))
    return mistakes


def _read_quiz(lesson: Lesson, mistakes: list[Mistake]) -> tuple[Question, ...]:
    path = quiz_path(lesson)
    root = yaml12.read_nodes(path, mistakes)
    if root is None:
        return ()
    table = read_table(root, path, "the quiz", ("questions",), mistakes)
    questions = [_read_question(entry, lesson.slug) for entry in table.tables("questions", "the question", _KEYS)]
    return tuple(question for question in questions if question is not None)


def _read_question(table: Table, slug: str) -> Question | None:
    kind = _read_kind(table)
    if kind is None:
        return None
    for key in table.nodes:
        if key not in _COMMON and key not in _OWN[kind]:
            table.complain(table.line_of(key), f"`{key}` has no meaning in a {kind} question; leave it out")
    item = table.text("id")
    _check_id(item, slug, table)
    place = Place(table.path, table.line, item)
    params = read_params(table)
    names = frozenset(param.name for param in params)
    answer_node = table.nodes.get("answer")
    call = read_call(answer_node, table, names, item) if answer_node is not None and kind in COMPUTED else None
    options = _read_options(table, kind) if "options" in _OWN[kind] else ()
    if answer_node is None:
        table.complain(table.line, "the question has no `answer`; write one")
    also: tuple[Slip, ...] = read_slips(table, kind, call, names, item) if "also" in _OWN[kind] else ()
    return Question(
        id=item,
        lesson=slug,
        version=table.whole("version"),
        kind=kind,
        concepts=_read_concepts(table),
        prompt=table.text("prompt"),
        explanation=table.text("explanation"),
        answer=call if call is not None else literal_answer(answer_node, table, kind, options),
        hints=tuple(hint.value for hint in table.texts("hints", required=False)),
        params=params,
        options=options,
        also=also,
        tolerance=read_tolerance(table, _TOLERANCES) if kind == "numeric" else None,
        rungs=_read_rungs(table),
        one_answer=_read_flag(table, "one_answer"),
        pool=here.instances if (here := bundle()) else None,
        line=place.line,
        path=place.path,
    )


def _read_kind(table: Table) -> Kind | None:
    name = table.text("kind")
    for kind in KINDS:
        if name == kind:
            return kind
    if name:
        table.complain(table.line_of("kind"), f"`kind` is {name!r}, which is none; {nearest(name, KINDS)}")
    return None


def _check_id(item: str, slug: str, table: Table) -> None:
    prefix = slug.replace("_", "-") + "-"
    if item and not _KEBAB.fullmatch(item):
        table.complain(table.line_of("id"), f"`id` is {item!r}; write it in kebab case, like `{prefix}one-row`")
    elif item and not item.startswith(prefix):
        table.complain(table.line_of("id"), f"`id` is {item}; begin it with the lesson, `{prefix}`")


def _read_concepts(table: Table) -> tuple[str, ...]:
    concepts = table.texts("concepts")
    if not concepts and "concepts" in table.nodes:
        table.complain(table.line_of("concepts"), "`concepts` is empty; name at least one, in kebab case")
    for concept in concepts:
        if concept.value and not _KEBAB.fullmatch(concept.value):
            table.complain(concept.line, f"the concept {concept.value!r} in `concepts` is not in kebab case")
    return tuple(concept.value for concept in concepts)


def _read_options(table: Table, kind: Kind) -> tuple[Option, ...]:
    options: list[Option] = []
    for entry in table.tables("options", "the option", ("id", "text", "right", "feedback")):
        option = Option(entry.text("id"), entry.text("text"), _read_flag(entry, "right"), entry.text("feedback"))
        if option.id and not _OPTION.fullmatch(option.id):
            entry.complain(entry.line_of("id"), f"the option's `id` is {option.id!r}; write lower case, like `no-root`")
        if option.id in {other.id for other in options}:
            entry.complain(entry.line_of("id"), f"the option {option.id} is here a second time; rename or remove one")
        options.append(option)
    right = [option.id for option in options if option.right]
    if kind == "choice" and options and len(right) != 1:
        table.complain(table.line_of("options"), f"{len(right)} options are `right: true`; a choice has exactly one")
    if kind == "multi" and options and not right:
        table.complain(table.line_of("options"), "no option is `right: true`; mark those that are")
    return tuple(options)


def _read_rungs(table: Table) -> frozenset[int] | None:
    if "rungs" not in table.nodes:
        return None
    rungs = whole_numbers(table.nodes["rungs"])
    if not rungs or not set(rungs) <= set(_RUNGS):
        table.complain(table.line_of("rungs"), "`rungs` is not a list of rungs; write some of [1, 2, 3, 4, 5]")
        return None
    return frozenset(rungs)


def _read_flag(table: Table, key: str) -> bool:
    node: Node | None = table.nodes.get(key)
    if node is None:
        return False
    if node.tag != yaml12.BOOL:
        table.complain(yaml12.line_of(node), f"`{key}` is {kind_of(node)}; write true or leave it out")
        return False
    return bool(yaml12.plain(node))
