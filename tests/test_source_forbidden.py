"""Built-ins that do a whole exercise are found under every name; ordinary code is left alone."""

from __future__ import annotations

import pytest

from grader.judge.source import Finding, parse_submission

FORBIDDEN = ("softmax", "log_softmax", "Softmax", "LogSoftmax", "softmin")
SOFTMAX = ("objective", "softmax")


def look(text: str, **others: str) -> list[Finding]:
    return parse_submission({"objective": text, **others}).forbidden_use(*SOFTMAX, FORBIDDEN)


CAUGHT = {
    # text -> what is named
    "import torch\ndef softmax(x): return torch.softmax(x, -1)": "torch.softmax",
    "import torch\ndef softmax(x): return torch.nn.functional.softmax(x, -1)": "torch.nn.functional.softmax",
    "import torch as t\ndef softmax(x): return t.softmax(x, -1)": "torch.softmax",
    "import torch.nn.functional as F\ndef softmax(x): return F.softmax(x, -1)": "torch.nn.functional.softmax",
    "from torch.nn import functional as F\ndef softmax(x): return F.softmax(x)": "torch.nn.functional.softmax",
    "from torch import nn\ndef softmax(x): return nn.Softmax(-1)(x)": "torch.nn.Softmax",
    "from torch import softmax as s\ndef softmax(x): return s(x, -1)": "torch.softmax",
    "from torch import *\ndef softmax(x): return log_softmax(x, -1).exp()": "torch.log_softmax",
    "import torch\ndef softmax(x): return torch.special.softmax(x, -1)": "torch.special.softmax",
    "import torch\ndef softmax(x): return torch.ops.aten.softmax(x, -1)": "torch.ops.aten.softmax",
    "import torch\ndef softmax(x): return torch.ops.aten.softmax.int(x, -1)": "torch.ops.aten.softmax",
    "import torch\ndef softmax(x): return torch._softmax(x, -1, False)": "torch._softmax",
    "import torch\ndef softmax(x): return torch.softmax_(x)": "torch.softmax_",
    "import torch\ndef softmax(x): return torch._C._nn.softmax(x)": "torch._C._nn.softmax",
    "import torch\ndef softmax(x): return torch._C._special.special_softmax(x)": "torch._C._special.special_softmax",
    "import torch\ndef softmax(x): return torch.Tensor.softmax(x, -1)": "torch.Tensor.softmax",
    "from torch import Tensor\ndef softmax(x): return Tensor.softmax(x, -1)": "torch.Tensor.softmax",
    "def softmax(x): return x.softmax(-1)": "x.softmax",
    "def softmax(x): return x.double().softmax(-1)": "x.double().softmax",
    "def softmax(x): return (x - x.max())\\\n  .log_softmax(-1)": "(x - x.max()).log_softmax",
    "def softmax(x): return type(x).softmax(x, -1)": "type(x).softmax",
    "def softmax(x): return x.__class__.softmax(x, -1)": "x.__class__.softmax",
    "def softmax(x): return getattr(x, 'softmax')(-1)": "getattr(x, 'softmax')",
    "import torch\ndef softmax(x): return getattr(torch, 'soft' + 'max')(x, -1)": "torch.softmax",
    "import torch, functools as f\ndef softmax(x): return f.partial(torch.softmax, dim=0)(x)": "torch.softmax",
    "import torch\ndef softmax(x): return list(map(torch.softmax, x, [-1]))": "torch.softmax",
    "import torch\nf = torch.nn.functional\ndef softmax(x): return f.softmax(x)": "torch.nn.functional.softmax",
    "import torch\ns = torch.softmax\ndef softmax(x): return s(x, -1)": "torch.softmax",
    "import torch\na, s = 1, torch.softmax\ndef softmax(x): return s(x, -1)": "torch.softmax",
    "import torch\ndef softmax(x): return (s := torch.softmax)(x, -1)": "torch.softmax",
    "import torch\ndef softmax(x, f=torch.softmax): return f(x, -1)": "torch.softmax",
    "import torch\ndef softmax(x, *, f=torch.softmax): return f(x, -1)": "torch.softmax",
    "import torch\n@torch.softmax\ndef softmax(x): return x": "torch.softmax",
    "import torch\nOPS = {'s': torch.softmax}\ndef softmax(x): return OPS['s'](x, -1)": "torch.softmax",
    "import torch\nclass A:\n    f = torch.softmax\ndef softmax(x): return A.f(x, -1)": "torch.softmax",
    "import torch\ndef softmax(x):\n    def f(y): return torch.softmax(y, -1)\n    return f(x)": "torch.softmax",
    "import torch\nsoftmax = lambda x: torch.softmax(x, -1)": "torch.softmax",
    "import torch\nsoftmax = torch.softmax": "torch.softmax",
    "from torch import softmax": "torch.softmax",
    "from torch.nn.functional import *": "torch.nn.functional.softmax",
    "def softmax(x): ...\nfrom torch.nn.functional import *": "torch.nn.functional.softmax",
    "from torch.nn import Softmax as softmax": "torch.nn.Softmax",
    "import torch\nif 1:\n    def softmax(x): return x\nelse:\n    softmax = torch.softmax": "torch.softmax",
    "import torch\ndef _go(x): return torch.softmax(x, -1)\ndef softmax(x): return _go(x)": "torch.softmax",
    "def softmax(x):\n    from torch.nn.functional import softmax as s\n    return s(x)": "torch.nn.functional.softmax",
    "def softmax(x):\n    import torch\n    return torch.softmax(x)": "torch.softmax",
    "import scipy.special\ndef softmax(x): return scipy.special.softmax(x)": "scipy.special.softmax",
    "from scipy.special import softmax as s\ndef softmax(x): return s(x)": "scipy.special.softmax",
    "import jax\ndef softmax(x): return jax.nn.softmax(x)": "jax.nn.softmax",
    "import torch\nassert torch.softmax(torch.ones(2), 0).sum() == 1\ndef softmax(x): return x": "torch.softmax",
    "import torch\ndef softmax(x: torch.softmax): return x": "torch.softmax",
    "import torch\nwith torch.no_grad():\n    S = torch.softmax\ndef softmax(x): return S(x)": "torch.softmax",
    "import torch\ntry:\n    S = torch.softmax\nfinally:\n    pass\ndef softmax(x): return S(x)": "torch.softmax",
    "import torch\ndef softmax(x):\n    match torch:\n        case object(softmax=f): return f(x)": "object(softmax=f)",
    "import torch\ndef softmax(x): return torch.\uff53oftmax(x, -1)": "torch.softmax",  # Python reads it as softmax
}


@pytest.mark.parametrize(("text", "what"), CAUGHT.items())
def test_a_built_in_is_found(text: str, what: str) -> None:
    assert [finding.what for finding in look(text)] == [what]


UNRESOLVED = {
    "def softmax(x, n='softmax'): return getattr(x, n)(-1)": "getattr",
    "import torch\ndef softmax(x): return getattr(torch, 'xamtfos'[::-1])(x)": "getattr",
    "import torch\ndef softmax(x): return getattr(torch, ''.join(['soft', 'max']))(x)": "getattr",
    "import torch\ng = getattr\ndef softmax(x): return g(torch, 'exp')": "getattr",
    "def softmax(x): return eval('x')": "eval",
    "def softmax(x): exec('y = x')": "exec",
    "def softmax(x): return compile('x', '', 'eval')": "compile",
    "def softmax(x): return __import__('torch')": "__import__",
    "import importlib\ndef softmax(x): return importlib.import_module('torch')": "importlib",
    "from importlib import import_module as i\ndef softmax(x): return i('torch')": "importlib.import_module",
    "def softmax(x): return globals()['torch']": "globals",
    "def softmax(x): return locals()": "locals",
    "import torch\ndef softmax(x): return vars(torch)": "vars",
    "import sys\ndef softmax(x): return sys.modules['torch']": "sys.modules",
    "from sys import modules as m\ndef softmax(x): return m['torch']": "sys.modules",
    "import torch\ndef softmax(x): return torch.sys.modules": "torch.sys",
    "import torch\ndef softmax(x): return torch.__dict__['exp']": "torch.__dict__",
    "def softmax(x): return x.__class__.__dict__": "x.__class__.__dict__",
    "def softmax(x): return x.__getattribute__('exp')()": "x.__getattribute__",
    "import operator\ndef softmax(x, n): return operator.attrgetter(n)(x)": "operator.attrgetter",
    "from operator import methodcaller as m\ndef softmax(x, n): return m(n)(x)": "m",
    "import operator\ndef softmax(x): return list(map(operator.attrgetter, x))": "operator.attrgetter",
    "def softmax(x): return __builtins__": "__builtins__",
    "import builtins\ndef softmax(x): return builtins.exec": "builtins",
    "import ctypes\ndef softmax(x): return ctypes.py_object": "ctypes",
    "import gc\ndef softmax(x): return gc.get_objects()": "gc",
    "import inspect\ndef softmax(x): return inspect.currentframe()": "inspect",
    "def softmax(x):\n    try: x[0]\n    except E as e: return e.__traceback__.tb_frame": "e.__traceback__.tb_frame",
    "def softmax(x): return (lambda: 0).__globals__": "(lambda: 0).__globals__",
    "import pickle\ndef softmax(x): return pickle.loads(x)": "pickle",
    "import torch\ndef softmax(x): return torch.load('f')": "torch.load",
    "import torch.utils.cpp_extension as c\ndef softmax(x): return c.load_inline('f')": "torch.utils.cpp_extension",
    "import torch\ndef softmax(x): return torch.jit.CompilationUnit('def f(): ...')": "torch.jit.CompilationUnit",
    "import torch\ndef softmax(x, n): return getattr(torch.ops.aten, n)(x)": "getattr",
    "from types import FunctionType\ndef softmax(x): return FunctionType(x)": "types.FunctionType",
    "import types\ndef softmax(x): return types.CodeType(x)": "types.CodeType",
    "def softmax(x): return softmax.__code__": "softmax.__code__",
    "import torch.overrides as o\ndef softmax(x): return o.get_testing_overrides()": "torch.overrides",
    "import torch\ndef softmax(x): return torch._C.parse_ir(x)": "torch._C.parse_ir",
    "import timeit\ndef softmax(x): return timeit.timeit(x)": "timeit",
    "import numpy as np\ndef softmax(x): return np.load(x, allow_pickle=True)": "numpy.load",
    "from reference.objective import embed\ndef softmax(x): return embed(x)": "reference.objective.embed",
}


@pytest.mark.parametrize(("text", "what"), UNRESOLVED.items())
def test_access_that_cannot_be_resolved_is_refused(text: str, what: str) -> None:
    found = look(text)
    assert what in [finding.what for finding in found]
    assert all(finding.reason.endswith(".") for finding in found)


def test_only_what_the_exercise_reaches_counts() -> None:
    text = "import torch\ndef softmax(x): return x\ndef embed(x): return torch.softmax(x, -1)\n"
    assert look(text) == []


def test_nothing_is_refused_where_nothing_is_forbidden() -> None:
    source = parse_submission({"objective": "def unembed(x, n): return getattr(x, n)"})
    assert source.forbidden_use("objective", "unembed", []) == []


def test_names_beside_torch_count_too() -> None:
    source = parse_submission({"training": "from torch.optim import AdamW\ndef adamw_step(p): return AdamW(p)"})
    assert [f.what for f in source.forbidden_use("training", "adamw_step", ["optim"])] == ["torch.optim.AdamW"]


def test_a_finding_tells_place_reason_and_remedy() -> None:
    text = "import torch\nimport torch.nn.functional as F\n\ndef softmax(x):\n    y = x\n    return F.softmax(y, -1)\n"
    (finding,) = look(text)
    assert (finding.slug, finding.line, finding.what) == ("objective", 6, "torch.nn.functional.softmax")
    assert finding.sentence == finding.reason
    assert finding.reason == (
        "Line 6 uses `F.softmax` (torch.nn.functional.softmax), which does this whole exercise in one call. "
        "Build it from smaller steps; the rest of torch may be used."
    )


def test_a_finding_in_a_helper_tells_the_way_there() -> None:
    (finding,) = look(
        "from .heads import _go\ndef softmax(x): return _go(x)",
        heads="import torch\n\ndef _go(x):\n    return torch.softmax(x, -1)\n",
    )
    assert (finding.slug, finding.line) == ("heads", 4)
    assert finding.reason.startswith("Line 4 of heads.py uses `torch.softmax`")
    assert finding.reason.endswith(" `softmax` leads there through `_go`.")


def test_a_finding_in_a_tensor_method_offers_the_own_function() -> None:
    (finding,) = look("def softmax(x):\n    return x.softmax(-1)")
    assert "If it is a function of your own, call it by its name, as in `softmax(...)`." in finding.reason


def test_a_finding_at_module_level_says_so() -> None:
    (finding,) = look("import torch\ndef softmax(x): return x\nprint(torch.softmax(torch.ones(2), 0))\n")
    assert finding.line == 3
    assert 'move it under `if __name__ == "__main__":`' in finding.reason


def test_a_line_in_a_chain_is_that_of_the_name() -> None:
    (finding,) = look("def softmax(x):\n    return (\n        x.double()\n        .softmax(-1)\n    )")
    assert finding.line == 4


def test_findings_come_in_the_order_of_lines_and_once_each() -> None:
    text = (
        "import torch\ndef softmax(x):\n    a = x.log_softmax(0)\n    b = torch.softmax(x, 0) + torch.softmax(x, 0)\n"
    )
    assert [(f.line, f.what) for f in look(text)] == [(3, "x.log_softmax"), (4, "torch.softmax")]


EARLIER = [("objective", "embed"), ("objective", "softmax")]


def test_an_earlier_exercise_is_not_followed() -> None:
    text = "import torch\ndef softmax(x): return torch.softmax(x, -1)\ndef cross_entropy(x): return softmax(x).log()\n"
    source = parse_submission({"objective": text})
    assert source.forbidden_use("objective", "cross_entropy", ["softmax"], EARLIER) == []
    assert source.forbidden_use("objective", "cross_entropy", ["softmax"], lambda e: e in EARLIER) == []
    assert len(source.forbidden_use("objective", "cross_entropy", ["softmax"])) == 1


@pytest.mark.parametrize(
    "how", ["from torch import softmax", "from torch import *", "import torch\nsoftmax = torch.softmax"]
)
def test_an_earlier_exercise_is_not_followed_however_it_is_bound(how: str) -> None:
    text = "from .objective import softmax\nfrom . import objective as o\ndef f(x): return softmax(x) + o.softmax(x)\n"
    source = parse_submission({"objective": how, "attention": text})
    assert source.forbidden_use("attention", "f", ["softmax"], EARLIER) == []
    assert source.forbidden_use("attention", "f", ["softmax"]) != []


def test_a_later_exercise_is_followed_like_a_helper() -> None:
    text = "from .training import sequence_loss\ndef softmax(x): return sequence_loss(x)\n"
    training = "import torch\ndef sequence_loss(x): return torch.softmax(x, -1)\n"
    source = parse_submission({"objective": text, "training": training})
    assert [f.slug for f in source.forbidden_use(*SOFTMAX, FORBIDDEN, [("objective", "embed")])] == ["training"]


def test_the_exercise_itself_is_looked_at_even_if_named_as_not_followed() -> None:
    source = parse_submission({"objective": "import torch\ndef softmax(x): return torch.softmax(x, -1)"})
    assert source.forbidden_use(*SOFTMAX, FORBIDDEN, EARLIER) != []


def test_a_function_of_the_own_with_a_name_of_pythons_is_told_to_change_it() -> None:
    (finding,) = look("def compile(x): return x\ndef softmax(x): return compile(x)")
    assert finding.reason.endswith("If it is a function of your own, call it something other than `compile`.")
