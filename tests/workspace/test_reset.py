"""Reset puts one function back and loses nothing."""

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from grader.course.model import Course
from grader.course.stubs import stub_source
from grader.errors import UserError
from grader.workspace import Workspace
from grader.workspace.reset import Reset, reset

pytestmark = pytest.mark.usefixtures("made_places")

NOW = datetime(2026, 3, 1, 11, 0, 5, tzinfo=UTC)

SHARED_STUB = '''\
def shared(
    x: Tensor,  # (...)
    label: str = "a: b",
) -> Tensor:
    """The argument itself."""
    # TODO: Return x.
    raise NotImplementedError
'''


@pytest.fixture
def workspace(tmp_path: Path) -> Workspace:
    (tmp_path / "student").mkdir()
    return Workspace(tmp_path, tmp_path / "student")


@pytest.fixture
def put_back(workspace: Workspace, made_course: Course) -> Callable[[str], Reset]:
    return lambda id_: reset(workspace, made_course.exercise(id_), made_course, NOW)


def write(workspace: Workspace, text: str | bytes) -> Path:
    module = workspace.module("first")
    module.write_bytes(text if isinstance(text, bytes) else text.encode())
    return module


def test_only_the_function_changes(workspace: Workspace, put_back: Callable[[str], Reset]) -> None:
    before = (
        "from torch import Tensor\n\n# mine\n\n@jit\n@jit(\n  1)\ndef shared(x):\n    y = x\n\n    return y  # end\n"
        "\n# after\nz = 1\n"
    )
    module = write(workspace, before)
    done = put_back("first.shared")
    assert module.read_text() == f"from torch import Tensor\n\n# mine\n\n{SHARED_STUB}\n# after\nz = 1\n"
    assert done.says == "shared in student/first.py is its stub again."


def test_the_file_as_it_was_is_kept(workspace: Workspace, put_back: Callable[[str], Reset]) -> None:
    module = write(workspace, "def shared(x):\n    return 1\n")
    assert put_back("first.shared").kept == workspace.student_dir / ".kept" / "first-20260301-110005.py"
    module.write_text("def shared(x):\n    return 2\n")
    second = put_back("first.shared").kept
    assert second == workspace.student_dir / ".kept" / "first-20260301-110005-2.py"
    assert second.read_text() == "def shared(x):\n    return 2\n"


def test_a_stub_is_left_as_it_is(workspace: Workspace, made_course: Course, put_back: Callable[[str], Reset]) -> None:
    write(workspace, stub_source(made_course.lesson("first")))
    done = put_back("first.double")
    assert done == Reset(
        workspace.module("first"), None, "double in student/first.py is its stub already; nothing was changed."
    )
    assert not (workspace.student_dir / ".kept").exists()


def test_of_two_functions_with_one_name_the_one_that_counts_is_put_back(
    workspace: Workspace, put_back: Callable[[str], Reset]
) -> None:
    module = write(workspace, "from torch import Tensor\ndef shared(x): return 1\ndef shared(x): return 2\n")
    put_back("first.shared")
    assert module.read_text() == f"from torch import Tensor\ndef shared(x): return 1\n{SHARED_STUB}"


def test_a_missing_function_is_added_at_the_end(workspace: Workspace, put_back: Callable[[str], Reset]) -> None:
    module = write(workspace, "from torch import Tensor\nx = 1")
    assert put_back("first.shared").says == "student/first.py had no function shared; its stub is at the end now."
    assert module.read_text() == f"from torch import Tensor\nx = 1\n\n\n{SHARED_STUB}"


def test_imports_that_the_stub_needs_come_back(workspace: Workspace, put_back: Callable[[str], Reset]) -> None:
    module = write(workspace, '"""Mine."""\nfrom __future__ import annotations\nimport torch\nx = 1\n')
    put_back("first.shared")
    assert module.read_text() == (
        '"""Mine."""\nfrom __future__ import annotations\nimport torch\nfrom torch import Tensor\nx = 1\n\n\n'
        + SHARED_STUB
    )


def test_an_empty_file_gets_imports_and_stub(workspace: Workspace, put_back: Callable[[str], Reset]) -> None:
    module = write(workspace, "")
    put_back("first.shared")
    compile(module.read_text(), "first.py", "exec")
    assert module.read_text().startswith("from torch import Tensor\n")


def test_a_missing_file_is_written_whole(
    workspace: Workspace, made_course: Course, put_back: Callable[[str], Reset]
) -> None:
    done = put_back("first.shared")
    assert done.kept is None
    assert done.says == "student/first.py was missing; all of its stubs are there now."
    assert done.module.read_text() == stub_source(made_course.lesson("first"))


def test_the_function_that_holds_the_syntax_error_is_found_by_its_def_line(
    workspace: Workspace, put_back: Callable[[str], Reset]
) -> None:
    module = write(workspace, "from torch import Tensor\n@jit\ndef shared(\n    x\n):\n    return (x +\n\n\ny = 1\n")
    assert put_back("first.shared").says == (
        "shared in student/first.py is its stub again, found by its `def` line because the file has a syntax error. "
        "It can be read as Python again."
    )
    assert module.read_text() == f"from torch import Tensor\n{SHARED_STUB}\n\ny = 1\n"


def test_a_syntax_error_elsewhere_is_named(workspace: Workspace, put_back: Callable[[str], Reset]) -> None:
    write(workspace, "def shared(x):\n    return x\ny = = 1\n")
    assert put_back("first.shared").says.endswith(" There is still one in line 8: invalid syntax.")


def test_a_function_that_cannot_be_found_is_explained(workspace: Workspace, put_back: Callable[[str], Reset]) -> None:
    module = write(workspace, "y = = 1\n")
    with pytest.raises(UserError) as caught:
        put_back("first.shared")
    assert str(caught.value) == (
        "shared cannot be reset, because the file cannot be read as Python and no line begins with `def shared(`. "
        "student/first.py, line 1: invalid syntax\n    y = = 1\n        ^\nMend that line first."
    )
    assert module.read_text() == "y = = 1\n"


def test_line_ends_and_byte_order_mark_stay(workspace: Workspace, put_back: Callable[[str], Reset]) -> None:
    module = write(workspace, b"\xef\xbb\xbffrom torch import Tensor\r\ndef shared(x):\r\n    return x\r\n")
    put_back("first.shared")
    expected = f"from torch import Tensor\n{SHARED_STUB}".replace("\n", "\r\n").encode()
    assert module.read_bytes() == b"\xef\xbb\xbf" + expected


def test_a_declared_encoding_stays(workspace: Workspace, put_back: Callable[[str], Reset]) -> None:
    module = write(workspace, "# coding: latin-1\nfrom torch import Tensor\ny = 'é'\n".encode("latin-1"))
    put_back("first.shared")
    assert b"y = '\xe9'\n" in module.read_bytes()


def test_a_file_that_is_no_text_is_left_alone(workspace: Workspace, put_back: Callable[[str], Reset]) -> None:
    module = write(workspace, b"# caf\xe9\n")
    with pytest.raises(UserError, match=r"shared cannot be reset\. .*line 1: .* Move the file away; `anatomy start`"):
        put_back("first.shared")
    assert module.read_bytes() == b"# caf\xe9\n"


def test_when_the_old_text_cannot_be_kept_nothing_changes(
    workspace: Workspace, put_back: Callable[[str], Reset]
) -> None:
    module = write(workspace, "def shared(x):\n    return x\n")
    (workspace.student_dir / ".kept").write_text("in the way\n")
    with pytest.raises(UserError, match=r"Nothing was changed\.$"):
        put_back("first.shared")
    assert module.read_text() == "def shared(x):\n    return x\n"


def test_the_rights_of_the_file_stay_and_no_temporary_file_does(
    workspace: Workspace, put_back: Callable[[str], Reset]
) -> None:
    module = write(workspace, "def shared(x):\n    return x\n")
    module.chmod(0o640)
    put_back("first.shared")
    assert module.stat().st_mode & 0o777 == 0o640
    assert sorted(path.name for path in workspace.student_dir.iterdir()) == [".kept", "first.py"]
