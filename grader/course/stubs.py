"""The learner's files, written from the answers: signature, docstring, one TODO and `raise NotImplementedError`.

`python -m grader.course.stubs [DIR]` writes student/ of the clone afresh. Answers are read as text, never imported.
"""

import ast
import sys
import textwrap
from collections.abc import Mapping
from pathlib import Path

from grader import places
from grader.course.functions import FunctionText, functions, import_lines, parse, signature_names
from grader.course.load import load_course
from grader.course.mistakes import CourseErrors, Mistake
from grader.course.model import Course, Exercise, Lesson
from grader.errors import UserError

_WIDTH = 120
_ALWAYS_IMPORTED = {"torch": "import torch", "Tensor": "from torch import Tensor"}
_BUILT_IN = {
    "bool",
    "bytes",
    "complex",
    "dict",
    "float",
    "frozenset",
    "int",
    "list",
    "object",
    "set",
    "str",
    "tuple",
    "type",
}

PACKAGE_SOURCE = '"""Your answers, one file a lesson. `anatomy grade` grades them; `anatomy list` names them."""\n'


def stub_source(lesson: Lesson, reference: Path | None = None) -> str:
    """The text of `student/<slug>.py`, made from `<slug>.py` in a folder of answers (the course's own by default).

    Raises CourseErrors if the answers are missing, do not parse, or lack an exercise, its docstring or an import that
    its signature needs.
    """
    answer = _Answer(lesson, reference)
    found = [answer.exercise(exercise) for exercise in lesson.exercises]
    imports = answer.imports(found)
    if answer.mistakes:
        raise CourseErrors(answer.mistakes)
    parts = [_module_docstring(lesson), _import_block(imports)]
    bodies = [_function_stub(exercise, text) for exercise, text in zip(lesson.exercises, found, strict=True) if text]
    return "\n\n".join(["\n".join(parts), *bodies])


def function_stub(lesson: Lesson, exercise: Exercise, reference: Path | None = None) -> tuple[str, tuple[str, ...]]:
    """The stub of one function, and the import lines that its signature needs. Raises CourseErrors."""
    answer = _Answer(lesson, reference)
    found = answer.exercise(exercise)
    imports = answer.imports([found], always={})
    if found is None or answer.mistakes:
        raise CourseErrors(answer.mistakes)
    return _function_stub(exercise, found), tuple(imports)


def write_stubs(course: Course, folder: Path) -> list[Path]:
    """Write every stub into `folder`, over older stubs. Raises UserError and writes nothing if work lies there."""
    sources = {"__init__.py": PACKAGE_SOURCE}
    sources |= {f"{lesson.slug}.py": stub_source(lesson) for lesson in course.lessons}
    for name in sources:
        if _holds_work(folder / name):
            raise UserError(f"{folder / name} holds somebody's work. Move it away first; nothing was written.")
    folder.mkdir(parents=True, exist_ok=True)
    for name, source in sources.items():
        (folder / name).write_text(source, encoding="utf-8", newline="\n")
    return [folder / name for name in sources]


def command_list(commands: Mapping[str, str]) -> str:
    """Commands and what each is for, in two columns, indented by four spaces as Markdown wants code."""
    width = max(map(len, commands))
    return "\n".join(f"    {command:<{width}}  {purpose}" for command, purpose in commands.items())


def _holds_work(path: Path) -> bool:
    """Whether a file is there with anything but stubs in it."""
    try:
        written = functions(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        return False
    except (SyntaxError, ValueError, OSError):
        return True
    return not all(ast.unparse(each.node.body[-1]) == "raise NotImplementedError" for each in written.values())


class _Answer:
    """One file of answers, read as text; what is wrong with it collects in `mistakes`."""

    def __init__(self, lesson: Lesson, reference: Path | None) -> None:
        folder = places.outline_folder() if reference is None else reference
        self.path = folder / f"{lesson.slug}.py"
        self.mistakes: list[Mistake] = []
        try:
            text = self.path.read_text(encoding="utf-8")
            tree = parse(text, str(self.path))
        except FileNotFoundError:
            raise CourseErrors([Mistake(self.path, 0, "the answers of this lesson are missing")]) from None
        except SyntaxError as error:
            raise CourseErrors([Mistake(self.path, error.lineno or 0, f"this is not Python: {error.msg}")]) from None
        self._functions = functions(text, tree)
        self._imports = import_lines(tree)

    def exercise(self, exercise: Exercise) -> FunctionText | None:
        """The answer to an exercise; None after noting that it is missing."""
        found = self._functions.get(exercise.name)
        if found is None:
            self.mistakes.append(Mistake(self.path, 0, f"the answer to {exercise.id} is missing; write the function"))
        elif not found.docstring:
            says = f"{exercise.name} has no docstring; the stub takes its own from here, so write one"
            self.mistakes.append(Mistake(self.path, found.node.lineno, says))
        return found

    def imports(self, found: list[FunctionText | None], always: Mapping[str, str] = _ALWAYS_IMPORTED) -> list[str]:
        """The import lines that the signatures need, `always` among them."""
        needed = dict(always)
        for text in found:
            for name in sorted(signature_names(text.node)) if text else ():
                if name in self._imports:
                    needed[name] = self._imports[name]
                elif name not in _BUILT_IN and text:
                    says = f"the signature of {text.name} uses {name}, which a stub cannot import; write it out"
                    self.mistakes.append(Mistake(self.path, text.node.lineno, says))
        return list(dict.fromkeys(needed.values()))


def _module_docstring(lesson: Lesson) -> str:
    paragraphs = [
        f"{lesson.title}: {lesson.summary}",
        f"Read lessons/{lesson.slug}/lesson.md, then fill in the functions from top to bottom.",
    ]
    if lesson.needs:
        names = " and ".join(f"`from .{slug} import ...`" for slug in lesson.needs)
        paragraphs.append(f"Your functions of earlier lessons may be used here: {names}.")
    commands = {
        f"anatomy grade {lesson.slug}": "grade the whole lesson",
        f"anatomy grade {lesson.exercises[0].id}": "grade one function",
        f"anatomy hint {lesson.exercises[0].id}": "when you are stuck",
    }
    paragraphs = ["\n".join(textwrap.wrap(paragraph, _WIDTH - 3)) for paragraph in paragraphs]
    paragraphs.append(command_list(commands))
    body = "\n\n".join(paragraphs).replace("\\", "\\\\").replace('"""', '\\"\\"\\"')
    return f'"""{body}\n"""\n'


def _import_block(imports: list[str]) -> str:
    """Import lines as isort orders them: the standard library, then torch, then the learner's own lessons."""
    rooms: list[list[str]] = [[], [], [], []]
    for line in imports:
        module = line.split()[1]
        top = module.partition(".")[0]
        rank = 0 if top == "__future__" else 3 if not top else 1 if top in sys.stdlib_module_names else 2
        rooms[rank].append(line)
    ordered = (sorted(room, key=lambda line: (line.startswith("from"), line)) for room in rooms)
    return "\n\n".join("\n".join(room) for room in ordered if room) + "\n"


def _function_stub(exercise: Exercise, answer: FunctionText) -> str:
    todo = textwrap.wrap(f"TODO: {exercise.todo}", _WIDTH - 6)
    lines = [
        answer.signature,
        answer.docstring,
        *(f"    # {line}" for line in todo),
        "    raise NotImplementedError",
        "",
    ]
    return "\n".join(lines)


def main() -> int:
    """Write student/ of the clone, or the folder that is named."""
    clone = places.clone_folder()
    if len(sys.argv) > 1:
        folder = Path(sys.argv[1])
    elif clone:
        folder = clone / "student"
    else:
        sys.stderr.write("Name a folder to write the stubs to; there is no clone here.\n")
        return 2
    try:
        written = write_stubs(load_course(), folder)
    except UserError as error:
        sys.stderr.write(f"{error}\n")
        return error.exit_code
    sys.stdout.writelines(f"{path}\n" for path in written)
    return 0


if __name__ == "__main__":
    sys.exit(main())
