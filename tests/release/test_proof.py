"""The proof that nothing hidden is in a bundle finds what is planted, in every disguise that a copy may wear."""

import ast
import json
import textwrap
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.course.functions import functions
from grader.course.load import load_course
from grader.places import engine_folder, reference_folder, suites_folder
from grader.release.fingerprint import prints_of_text
from grader.release.proof import hidden_in, shortened

SAYS = "eps is added after the root is taken; add it to the mean square, under the root."
RENAMED = '''\
class Helper:
    """Something else entirely."""

    def prepare(self, numbers, tiny=1e-5):
        """Nothing to see here."""
        def inner(a, eps=tiny):
            # Not a copy at all.
            broad = _at_least_float32(a)
            middle: "Tensor" = broad - broad.mean(dim=-1, keepdim=True)
            spread = middle.square().mean(dim=-1, keepdim=True)
            return (middle / torch.sqrt(spread + eps)).to(a.dtype)
        return inner(numbers)
'''
"""The reference's standardize with other names, nested in a method, with a comment, a docstring and an annotation."""


def body_of(name: str, lesson: str) -> str:
    """A function of the reference as it is written."""
    text = (reference_folder() / f"{lesson}.py").read_text("utf-8")
    found = functions(text)[name]
    return "\n".join(text.split("\n")[found.first_line - 1 : found.last_line])


def hidden_test() -> str:
    """A test that is not public, as it is written."""
    text = (suites_folder() / "test_heads.py").read_text("utf-8")
    tree = ast.parse(text)
    node = next(n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef) and n.name == "test_given_masks")
    return textwrap.dedent("\n".join(text.split("\n")[node.lineno - 1 : node.end_lineno]))


def one_statement() -> str:
    """A single long line of the reference, in a function that is otherwise the planter's own."""
    function = ast.parse(body_of("cross_entropy", "objective")).body[0]
    assert isinstance(function, ast.FunctionDef)
    plain = [n for n in function.body[1:] if isinstance(n, ast.Assign | ast.Return)]
    longest = max(plain, key=lambda n: len(ast.unparse(n)))
    return f"def mine(logits, targets, ignore_index):\n    print('hello')\n    {ast.unparse(longest)}\n"


def plants() -> Iterator[tuple[str, bytes, str]]:
    """Files of a bundle, what is in them, and a piece of the sentence that must be said of each."""
    answer = body_of("standardize", "normalization")
    variation = (engine_folder() / "variations" / "normalization.py").read_text("utf-8")
    misconception = (engine_folder() / "misconceptions" / "normalization.py").read_text("utf-8")
    yield "reference/normalization.py", b"", "lies in a room"
    yield "grader/misconceptions.py", b"", "lies in a room"
    yield "grader/cli/anatomy.pyc", b"", "of a kind that the proof cannot read"
    yield "grader/_data/more.zip", b"PK", "of a kind that the proof cannot read"
    yield "grader/renamed.py", RENAMED.encode(), "holds the code of reference/normalization.py: standardize"
    yield "grader/statement.py", one_statement().encode(), "holds the code of reference/objective.py: cross_entropy"
    yield "grader/text.py", f"ANSWER = {answer!r}\n".encode(), "reference/normalization.py: standardize"
    yield "grader/_data/a.json", json.dumps({"help": answer}).encode(), "reference/normalization.py: standardize"
    yield "grader/_data/b.bin", b"\0\x01l" + answer.encode() + b"\xff\0", "holds a text of reference/normalization.py"
    yield "NOTES.md", f"Try this:\n\n```python\n{RENAMED}```\n".encode(), "reference/normalization.py: standardize"
    yield "grader/wrong.py", misconception.encode(), "holds the code of misconceptions/normalization.py"
    yield "grader/right.py", variation.encode(), "holds the code of variations/normalization.py"
    yield "lessons/hint.yaml", f'hint: "{SAYS}"\n'.encode(), "holds a text of misconceptions/normalization.py"
    folded = SAYS.replace(" ", "\n      ", 5)
    yield "lessons/folded.md", folded.encode(), "holds a text of misconceptions/normalization.py"
    joined = f"SAYS = ({SAYS[:30]!r}\n    {SAYS[30:]!r})\n"
    yield "grader/joined.py", joined.encode(), "holds a text of misconceptions/normalization.py"
    yield "grader/_data/c.json", json.dumps({"id": "normalization.rms_norm.mean-removed"}).encode(), "names the mistake"
    yield "grader/hidden_test.py", hidden_test().encode(), "holds the code of suites/test_heads.py: test_given_masks"
    yield "README.md", b"Beware of test_query_that_sees_nothing.", "names the hidden test test_query_that_sees_nothing"
    yield "grader/suites/test_heads.py", b"def test_own(): ...\n", "is not the public part of its suite"
    yield "lessons/heads/lesson.md", b"# Heads\n\nThe answer is 42.\n", "is not the course's own page"


def test_every_plant_is_found(tmp_path: Path) -> None:
    wanted = {}
    for name, content, says in plants():
        assert name not in wanted
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content)
        wanted[name] = says
    (tmp_path / "grader" / "link.py").symlink_to(reference_folder() / "heads.py")
    wanted["grader/link.py"] = "is a link"
    harmless = tmp_path / "grader" / "harmless.py"
    harmless.write_text("def mean(values):\n    return sum(values) / len(values)\n", "utf-8")
    found = hidden_in(tmp_path, most=10**6)
    missed = {name: says for name, says in wanted.items() if not any(f.startswith(name) and says in f for f in found)}
    assert missed == {}
    assert not [sentence for sentence in found if "harmless" in sentence]


def test_long_lists_are_cut() -> None:
    assert shortened(["a", "b", "c"], 2) == ["a", "b", "and 1 more"]
    assert shortened(["a", "b"], 2) == ["a", "b"]


@pytest.mark.parametrize(
    "other",
    [
        "def g(b, c=2):\n    '''Doc.'''\n    d = [k for k in b if k]  # why\n    return d[0] * c + len(b) - sum(d)\n",
        "async def g(b, c):\n    d: list = [z for z in b if z]\n    return d[0] * c + len(b) - sum(d)\n",
        "class A:\n    def g(b, *, c):\n        d = [e for e in b if e]\n        return d[0] * c + len(b) - sum(d)\n",
    ],
)
def test_names_and_notes_of_a_copy_do_not_matter(other: str) -> None:
    text = "def f(x, y):\n    kept = [i for i in x if i]\n    return kept[0] * y + len(x) - sum(kept)\n"
    forms = {found.form for found in prints_of_text(text)}
    assert forms & {found.form for found in prints_of_text(other)}


@pytest.mark.parametrize(
    "other",
    [
        "def f(x, y):\n    kept = [i for i in x if i]\n    return kept[0] * x + len(x) - sum(kept)\n",
        "def f(x, y):\n    kept = [i for i in x if i]\n    return kept[0] * y + len(x) + sum(kept)\n",
        "def f(x, y):\n    kept = [i for i in x if i]\n    return kept[1] * y + len(x) - sum(kept)\n",
        "def f(x, y):\n    kept = [i for i in x if i]\n    return kept[0] * y + abs(x) - sum(kept)\n",
    ],
)
def test_another_computation_has_another_form(other: str) -> None:
    text = "def f(x, y):\n    kept = [i for i in x if i]\n    return kept[0] * y + len(x) - sum(kept)\n"
    assert not {f.form for f in prints_of_text(text)} & {f.form for f in prints_of_text(other)}


def test_every_answer_is_known_to_the_proof() -> None:
    for lesson in load_course().lessons:
        text = (reference_folder() / f"{lesson.slug}.py").read_text("utf-8")
        told = {found.name for found in prints_of_text(text)}
        for exercise in lesson.exercises:
            assert exercise.name in told, exercise.id
