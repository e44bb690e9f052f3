"""Stubs have the signatures and docstrings of the answers, and nothing else of them."""

import ast
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from grader import places
from grader.course.load import load_course
from grader.course.mistakes import CourseErrors
from grader.course.model import Course
from grader.course.stubs import function_stub, stub_source, write_stubs
from grader.errors import UserError

FIRST_STUB = '''\
"""First: The learner can double.

Read lessons/first/lesson.md, then fill in the functions from top to bottom.

    anatomy grade first         grade the whole lesson
    anatomy grade first.double  grade one function
    anatomy hint first.double   when you are stuck
"""

from collections.abc import Callable

import torch
from torch import Tensor


def double(x: Tensor, apply: Callable[[Tensor], Tensor] | None = None, *, eps: float = 1e-5) -> Tensor:
    """Twice x.

    Shapes: `(...)` -> `(...)`, with a slash \\\\ and "quotes".
    """
    # TODO: Multiply by two.
    raise NotImplementedError


def shared(
    x: Tensor,  # (...)
    label: str = "a: b",
) -> Tensor:
    """The argument itself."""
    # TODO: Return x.
    raise NotImplementedError
'''


def test_a_stub_is_signature_docstring_todo_and_not_implemented(made_course: Course, answers: Path) -> None:
    assert stub_source(made_course.lesson("first"), answers) == FIRST_STUB


def test_a_lesson_that_needs_others_says_how_to_use_them(made_course: Course, answers: Path) -> None:
    stub = stub_source(made_course.lesson("second"), answers)
    assert "Your functions of earlier lessons may be used here: `from .first import ...`." in stub
    assert "\nfrom .first import" not in stub


def test_helpers_never_appear(made_course: Course, answers: Path) -> None:
    stub = stub_source(made_course.lesson("first"), answers)
    assert "_scaled" not in stub
    assert "_TWO" not in stub


def test_a_long_todo_is_broken_into_comment_lines(lessons: Path, answers: Path) -> None:
    path = lessons / "first" / "lesson.yaml"
    path.write_text(path.read_text().replace("Multiply by two.", "word " * 40), encoding="utf-8")
    stub = stub_source(load_course(lessons).lesson("first"), answers)
    assert max(map(len, stub.splitlines())) <= 120
    assert stub.count("    # ") == 3


def test_one_function_comes_with_the_imports_it_needs(made_course: Course, answers: Path) -> None:
    stub, imports = function_stub(made_course.lesson("first"), made_course.exercise("first.double"), answers)
    assert stub.startswith("def double(")
    assert stub.endswith("    raise NotImplementedError\n")
    assert imports == ("from collections.abc import Callable", "from torch import Tensor")


@pytest.mark.parametrize(
    ("old", "new", "says"),
    [
        ("def double(", "def doubled(", "the answer to first.double is missing; write the function"),
        (
            '    """The argument itself."""\n',
            "",
            "shared has no docstring; the stub takes its own from here, so write one",
        ),
        (
            "label: str",
            "label: _Label",
            "the signature of shared uses _Label, which a stub cannot import; write it out",
        ),
        ("_TWO = 2.0", "_TWO = = 2.0", "this is not Python: invalid syntax"),
    ],
)
def test_answers_that_give_no_stub_are_named(made_course: Course, answers: Path, old: str, new: str, says: str) -> None:
    path = answers / "first.py"
    path.write_text(path.read_text(encoding="utf-8").replace(old, new), encoding="utf-8")
    with pytest.raises(CourseErrors) as caught:
        stub_source(made_course.lesson("first"), answers)
    assert [mistake.says for mistake in caught.value.mistakes] == [says]


def test_missing_answers_are_named(made_course: Course, tmp_path: Path) -> None:
    with pytest.raises(CourseErrors, match="the answers of this lesson are missing"):
        stub_source(made_course.lesson("first"), tmp_path)


@pytest.mark.usefixtures("made_places")
def test_all_stubs_are_written_as_a_package(made_course: Course, tmp_path: Path) -> None:
    written = write_stubs(made_course, tmp_path / "student")
    assert [path.name for path in written] == ["__init__.py", "first.py", "second.py"]
    assert (tmp_path / "student" / "first.py").read_bytes().decode() == FIRST_STUB


@pytest.mark.usefixtures("made_places")
def test_older_stubs_are_replaced_but_work_is_not(made_course: Course, tmp_path: Path) -> None:
    folder = tmp_path / "student"
    write_stubs(made_course, folder)
    (folder / "second.py").write_text('def old(x):\n    """Old."""\n    raise NotImplementedError\n', encoding="utf-8")
    write_stubs(made_course, folder)
    assert "def halve" in (folder / "second.py").read_text(encoding="utf-8")
    for work in ("def halve(x):\n    return x / 2\n", "def halve(x:\n"):
        (folder / "second.py").write_text(work, encoding="utf-8")
        (folder / "first.py").unlink(missing_ok=True)
        with pytest.raises(UserError, match=r"second\.py holds somebody's work\. .* nothing was written\.$"):
            write_stubs(made_course, folder)
        assert (folder / "second.py").read_text(encoding="utf-8") == work
        assert not (folder / "first.py").exists()


@pytest.mark.parametrize("lesson", load_course().lessons, ids=lambda lesson: lesson.slug)
def test_real_stubs_raise_and_keep_the_signatures_of_the_answers(lesson: object) -> None:
    course = load_course()
    slug = lesson.slug  # type: ignore[attr-defined]  # parametrize hides the type
    stub = ast.parse(stub_source(course.lesson(slug)))
    answer = ast.parse((places.reference_folder() / f"{slug}.py").read_text(encoding="utf-8"))
    signatures = {
        node.name: (ast.dump(node.args), ast.dump(node.returns) if node.returns else "", ast.get_docstring(node))
        for node in answer.body
        if isinstance(node, ast.FunctionDef)
    }
    found = [node for node in stub.body if isinstance(node, ast.FunctionDef)]
    assert [node.name for node in found] == [exercise.name for exercise in course.lesson(slug).exercises]
    for node in found:
        returns = ast.dump(node.returns) if node.returns else ""
        assert (ast.dump(node.args), returns, ast.get_docstring(node)) == signatures[node.name]
        assert len(node.body) == 2
        assert ast.unparse(node.body[1]) == "raise NotImplementedError"


def committed(path: str) -> str | None:
    """A file as it was last committed: the working student/ may hold somebody's answers."""
    clone = places.clone_folder()
    git = shutil.which("git")
    if clone is None or git is None:
        return None
    done = subprocess.run([git, "show", f"HEAD:{path}"], cwd=clone, capture_output=True, check=False)
    return done.stdout.decode("utf-8").replace("\r\n", "\n") if done.returncode == 0 else None


@pytest.mark.parametrize("slug", [lesson.slug for lesson in load_course().lessons])
def test_the_committed_stubs_are_in_step_with_the_answers(slug: str) -> None:
    stub = committed(f"student/{slug}.py")
    if stub is None:
        pytest.skip("no commit of student/ to look at")
    assert stub == stub_source(load_course().lesson(slug)), "run: python -m grader.course.stubs"


def test_the_stub_writer_runs_without_torch(tmp_path: Path) -> None:
    code = (
        "import sys; from grader.course import stubs; "
        f"sys.argv[1:] = [{str(tmp_path / 'out')!r}]; assert stubs.main() == 0; assert 'torch' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True, capture_output=True)
    assert (tmp_path / "out" / "__init__.py").is_file()
