"""Whatever the text, every question is answered, in a bounded amount of work."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from grader.judge.source import Exercise, State, StudentSource, parse_submission

EXERCISES: tuple[Exercise, ...] = (("objective", "softmax"), ("objective", "embed"), ("heads", "g"))
LINES = """
import torch
from torch import *
from .heads import *
from . import heads as h
import student
def softmax(x, f=torch.softmax):
def embed(t):
class A(B):
class B(A):
if x:
else:
try:
except E as e:
for x in [x, torch]:
with a as torch.b:
match x:
    case A(y, z=w): pass
while x:
    return getattr(x, f'{n}x')(softmax)
    self.x = self = x
    global softmax
    nonlocal x
    pass
    x = y = x.softmax
    yield (z := [y for y in z if (q := y)])
n = n + n
a, *b = b, a
del softmax
softmax = lambda *a, **k: softmax(*a)
x: (y := 1) = 2
x.y[0].z += 1
@embed.g(x)
torch.exp = h.g
    def g(self): return super().g()
        return A().g
    def __getattr__(n): ...
lambda: (yield)
""".strip("\n").splitlines()


def ask_everything(source: StudentSource) -> None:
    for slug, name in (*EXERCISES, ("nowhere", "f")):
        assert source.definition(slug, name).slug == slug
        source.signature_problem(slug, name, ["x"], ["dim"])
        assert source.dependencies(slug, name, EXERCISES) <= source.all_dependencies(slug, name, EXERCISES)
        for finding in source.forbidden_use(slug, name, ["softmax"], [("objective", "embed")]):
            assert finding.line >= 1
            assert finding.what
            assert finding.reason.startswith("Line ")
            assert finding.reason.endswith(".")


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from(LINES), max_size=12), st.lists(st.sampled_from(LINES), max_size=12))
def test_any_order_of_lines_is_answered(one: list[str], other: list[str]) -> None:
    ask_everything(parse_submission({"objective": "\n".join(one), "heads": "\n".join(other)}))


@settings(max_examples=150, deadline=None)
@given(st.lists(st.sampled_from([line for line in LINES if not line.startswith(" ") and line[-1] != ":"]), max_size=9))
def test_any_order_of_statements_is_read_and_answered(lines: list[str]) -> None:
    lines = [line if not line.startswith("@") else f"{line}\ndef f(): pass" for line in lines]
    source = parse_submission({"objective": "\n".join(lines), "heads": "\n".join(reversed(lines))})
    assert not source.problems
    ask_everything(source)


@settings(max_examples=100, deadline=None)
@given(st.text())
def test_any_text_is_answered(text: str) -> None:
    ask_everything(parse_submission({"objective": text}))


TANGLED = {
    "one name, bound over and over": "def softmax(x):\n" + "    x = x\n" * 10_000 + "    return x.f()\n",
    "one name of the module": "x = x\n" * 10_000 + "def softmax(y): return x.f(y)\n",
    "names in circles": "".join(f"x{n % 100} = x{n * 7 % 100} or x{n * 13 % 100}\n" for n in range(5_000))
    + "def softmax(y): return x1.f(y)\n",
}


@pytest.mark.parametrize("text", TANGLED.values(), ids=TANGLED.keys())
def test_what_is_too_tangled_to_check_is_refused(text: str) -> None:
    source = parse_submission({"objective": text})
    (finding,) = source.forbidden_use("objective", "softmax", ["softmax"])
    assert "too tangled" in finding.reason
    assert source.definition("objective", "softmax").state is State.DEFINED
    assert source.dependencies("objective", "softmax", EXERCISES) == frozenset()


LARGE = {
    "doubling strings": "s0 = 'a'\n" + "".join(f"s{n} = s{n - 1} + s{n - 1}\n" for n in range(1, 99)),
    "doubling names": "x0 = 1\n" + "".join(f"x{n} = x{n - 1} or x{n - 1}\n" for n in range(1, 5_000)),
    "many functions that write": "V = {}\n" + "".join(f"def f{n}(): V[{n}] = f{n - 1}()\n" for n in range(1, 3_000)),
    "many classes": "class A0: pass\n" + "".join(f"class A{n}(A{n - 1}): pass\n" for n in range(1, 3_000)),
}


@pytest.mark.parametrize("text", LARGE.values(), ids=LARGE.keys())
def test_large_modules_are_read_to_their_end(text: str) -> None:
    tail = "def softmax(x): return getattr(x, s98) or x4999.f or V or A99().f\n"
    source = parse_submission({"objective": text + tail})
    assert all("tangled" not in finding.reason for finding in source.forbidden_use("objective", "softmax", ["gelu"]))
