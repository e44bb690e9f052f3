"""What stands under an exercise's name: nothing, a stub, a function, or something only running can tell."""

from __future__ import annotations

import pytest

from grader.judge.source import State, parse_submission

STUBS = {
    "raises": "def f(x):\n    raise NotImplementedError",
    "raises with a message": "def f(x):\n    raise NotImplementedError('later')",
    "docstring and raise": "def f(x):\n    '''What it does.'''\n    # TODO: write it\n    raise NotImplementedError",
    "ellipsis": "def f(x): ...",
    "pass": "def f(x):\n    'doc'\n    pass",
    "docstring alone": "def f(x):\n    'doc'",
    "annotated": "def f(x: Tensor, dim: int = -1) -> Tensor:\n    raise NotImplementedError",
    "the last of two": "def f(x):\n    return x\ndef f(x): ...",
}
DEFINED = {
    "one line": "def f(x): return x",
    "docstring and code": "def f(x):\n    'doc'\n    return x",
    "code before the raise": "def f(x):\n    y = x\n    raise NotImplementedError",
    "another error": "def f(x):\n    raise ValueError('no')",
    "returns None": "def f(x):\n    return",
    "a lone number": "def f(x):\n    1",
    "conditional": "import sys\nif sys.version_info > (3,):\n    def f(x): return x\nelse:\n    def f(x): return -x",
    "in a try": "try:\n    def f(x): return x\nfinally:\n    pass",
    "redefined": "f = None\ndef f(x): return x",
    "async": "async def f(x): return x",
    "after a star import": "from torch import *\ndef f(x): return x",
}
BOUND_OTHERWISE = {
    "lambda": "f = lambda x: x",
    "partial": "from functools import partial\nf = partial(max, key=len)",
    "an alias": "def g(x): return x\nf = g",
    "annotated assignment": "f: object = lambda x: x",
    "imported": "from torch import exp as f",
    "imported from a lesson": "from .objective import f",
    "class": "class f:\n    def __call__(self, x): return x",
    "decorated": "import torch\n@torch.no_grad()\ndef f(x): return x",
    "decorated stub": "@other\ndef f(x): ...",
    "rebound": "def f(x): return x\nf = f",
    "tuple": "f, g = g, f",
    "loop": "for f in [abs]: pass",
    "with": "with open('x') as f: pass",
    "global in a function": "def make():\n    global f\n    f = abs",
    "walrus": "g = (f := abs)",
    "star import": "from torch import *",
    "star import after it": "def f(x): ...\nfrom torch import *",
}
MISSING = {
    "nothing": "x = 1",
    "inside a function": "def g():\n    def f(x): return x",
    "inside a class": "class A:\n    def f(x): return x",
    "a method's attribute": "import torch\ntorch.f = 1",
    "deleted": "def f(x): return x\ndel f",
    "only annotated": "f: int",
    "only under the main guard": "if __name__ == '__main__':\n    def f(x): return x",
    "an attribute import": "import torch.f",
}


def state(text: str) -> State:
    return parse_submission({"lesson": text}).definition("lesson", "f").state


@pytest.mark.parametrize("text", STUBS.values(), ids=STUBS.keys())
def test_a_stub_is_not_started(text: str) -> None:
    assert state(text) is State.STUB


@pytest.mark.parametrize("text", DEFINED.values(), ids=DEFINED.keys())
def test_a_function_with_a_body_is_defined(text: str) -> None:
    assert state(text) is State.DEFINED


@pytest.mark.parametrize("text", BOUND_OTHERWISE.values(), ids=BOUND_OTHERWISE.keys())
def test_a_name_may_be_bound_otherwise(text: str) -> None:
    assert state(text) is State.BOUND_OTHERWISE


@pytest.mark.parametrize("text", MISSING.values(), ids=MISSING.keys())
def test_a_name_may_be_missing(text: str) -> None:
    assert state(text) is State.MISSING_FUNCTION


def test_a_file_may_be_missing() -> None:
    definition = parse_submission({}).definition("lesson", "f")
    assert definition.state is State.MISSING_MODULE
    assert definition.problem == "There is no file student/lesson.py."


@pytest.mark.parametrize(
    ("text", "how"),
    [
        ("f = lambda x: x", "it is assigned"),
        ("class f: pass", "it is a class"),
        ("from torch import exp as f", "it is imported"),
        ("@g\ndef f(x): return x", "it is decorated"),
    ],
)
def test_how_a_name_is_bound_otherwise_is_said(text: str, how: str) -> None:
    definition = parse_submission({"lesson": text}).definition("lesson", "f")
    assert definition.how == how
    assert definition.problem is None


@pytest.mark.parametrize(
    ("defined", "wanted", "nearest"),
    [
        ("def rmsnorm(x): return x", "rms_norm", "rmsnorm"),
        ("def RMSNorm(x): return x", "rms_norm", "RMSNorm"),
        ("class RMSNorm: pass", "rms_norm", "RMSNorm"),
        ("rms_nrom = abs", "rms_norm", "rms_nrom"),
        ("def layer_norm(x): return x", "rms_norm", None),
        ("def rms_norms(x): return x\ndef rmsnorm(x): return x", "rms_norm", "rmsnorm"),
        ("import rmsnorm", "rms_norm", None),
        ("def causal_masks(n): return n", "causal_mask", "causal_masks"),
        ("def helper(): pass", "gelu", None),
    ],
)
def test_a_misspelt_name_is_offered(defined: str, wanted: str, nearest: str | None) -> None:
    definition = parse_submission({"lesson": defined}).definition("lesson", wanted)
    assert definition.state is State.MISSING_FUNCTION
    assert definition.nearest == nearest


def test_another_exercise_is_no_misspelling() -> None:
    source = parse_submission({"feedforward": "def gelu_tan(x): return x\ndef gelu_tanh(x): return x"})
    assert source.definition("feedforward", "gelu_tanhh", others=["gelu_tanh"]).nearest == "gelu_tan"


def test_a_missing_function_is_told_with_its_misspelling() -> None:
    source = parse_submission({"normalization": "def rmsnorm(x): return x"})
    assert source.definition("normalization", "rms_norm").problem == (
        "student/normalization.py has no function `rms_norm`; did you mean to call `rmsnorm` that?"
    )
    assert source.definition("normalization", "standardize").problem == (
        "student/normalization.py has no function `standardize`."
    )


def test_the_line_of_a_definition_is_known() -> None:
    source = parse_submission({"lesson": "import torch\n\n\ndef f(x):\n    return x\n"})
    assert source.definition("lesson", "f").line == 4
    assert not source.definition("lesson", "f").is_stub
