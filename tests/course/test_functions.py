"""Functions are found in a text as Python would bind them."""

import warnings

import pytest

from grader.course.functions import functions, import_lines, lines_between, parse

TEXT = '''\
import torch as t, os.path
from .first import double as twice

def f(x):
    return 0

@deco
@deco(
    lambda: 1
)
def f(x, d={"a": 1}, *, key=lambda y: y) -> dict[str, "int"]:
    r"""Raw \\d."""
    if x:
        def g(): pass
    return 1  # last

class C:
    def f(self): ...

def one(): return 1
'''


def test_of_two_with_one_name_the_last_counts_with_its_decorators() -> None:
    found = functions(TEXT)
    assert list(found) == ["f", "one"]
    assert (found["f"].first_line, found["f"].last_line) == (7, 15)
    assert lines_between(TEXT, 7, 7) == "@deco"


def test_a_signature_ends_at_the_first_colon_outside_brackets() -> None:
    found = functions(TEXT)
    assert found["f"].signature == 'def f(x, d={"a": 1}, *, key=lambda y: y) -> dict[str, "int"]:'
    assert found["one"].signature == "def one():"


def test_a_docstring_is_taken_as_written() -> None:
    found = functions(TEXT)
    assert found["f"].docstring == '    r"""Raw \\d."""'
    assert found["one"].docstring == ""


def test_imports_are_listed_by_the_names_they_bind() -> None:
    assert import_lines(parse(TEXT)) == {
        "t": "import torch as t",
        "os": "import os.path",
        "twice": "from .first import double as twice",
    }


def test_odd_escapes_raise_no_warning() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        parse(r"x = '\d'")


def test_what_is_not_python_raises() -> None:
    with pytest.raises(SyntaxError):
        functions("def f(:\n")
