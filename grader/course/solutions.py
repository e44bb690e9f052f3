"""The answer to an exercise as text: the function, and what it uses of its own file."""

import ast
from pathlib import Path

from grader import places
from grader.course.functions import functions, lines_between, names_in, parse
from grader.course.mistakes import CourseErrors, Mistake
from grader.course.model import Exercise, Lesson


def solution_source(lesson: Lesson, exercise: Exercise, reference: Path | None = None) -> str:
    """The reference's function with its docstring, after the helpers and constants it needs, in file order.

    Other exercises that it calls are left out: each is a solution of its own. Raises CourseErrors if it is missing.
    """
    path = (places.reference_folder() if reference is None else reference) / f"{lesson.slug}.py"
    try:
        text = path.read_text(encoding="utf-8")
        tree = parse(text, str(path))
    except (OSError, SyntaxError) as error:
        raise CourseErrors([Mistake(path, 0, f"the answers cannot be read: {error}")]) from None
    spans = {name: (found.first_line, found.last_line) for name, found in functions(text, tree).items()}
    if exercise.name not in spans:
        raise CourseErrors([Mistake(path, 0, f"the answer to {exercise.id} is missing")])
    uses = {node.name: names_in(node) for node in tree.body if isinstance(node, ast.FunctionDef)}
    for node in tree.body:
        if isinstance(node, ast.Assign | ast.AnnAssign):
            for name in _assigned(node):
                spans[name] = (node.lineno, node.end_lineno or node.lineno)
                uses[name] = names_in(node.value)
    others = {other.name for other in lesson.exercises} - {exercise.name}
    wanted = _reachable(exercise.name, uses, others)
    parts = sorted({spans[name] for name in wanted})
    return "\n\n\n".join(lines_between(text, first, last) for first, last in parts) + "\n"


def _assigned(node: ast.Assign | ast.AnnAssign) -> set[str]:
    return names_in(*node.targets) if isinstance(node, ast.Assign) else names_in(node.target)


def _reachable(start: str, uses: dict[str, set[str]], without: set[str]) -> set[str]:
    found: set[str] = set()
    waiting = [start]
    while waiting:
        name = waiting.pop()
        if name not in found:
            found.add(name)
            waiting += [used for used in uses[name] if used in uses and used not in without]
    return found
