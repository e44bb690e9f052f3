"""Which other exercises a function reaches, however it imports them."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from grader.judge.source import Exercise, parse_submission

SOFTMAX, EMBED = ("objective", "softmax"), ("objective", "embed")
RMS, LAYER = ("normalization", "rms_norm"), ("normalization", "layer_norm")
TARGET = ("block", "llama_block")
EXERCISES = (SOFTMAX, EMBED, RMS, LAYER, TARGET, ("block", "pre_norm"))
BELOW = {
    "objective": "def softmax(x): return x\ndef embed(x): return x\n",
    "normalization": "from .objective import softmax\nEPS = 1\ndef rms_norm(x): return _mean(x)\n"
    "def layer_norm(x): return rms_norm(x)\ndef _mean(x): return x\n",
}


def direct(text: str, below: Mapping[str, str] = BELOW) -> set[Exercise]:
    return set(parse_submission({**below, "block": text}).dependencies(*TARGET, EXERCISES))


REACHES_RMS_NORM = {
    "relative import": "from .normalization import rms_norm\ndef llama_block(x): return rms_norm(x)",
    "relative import, renamed": "from .normalization import rms_norm as r\ndef llama_block(x): return r(x)",
    "absolute import": "from student.normalization import rms_norm\ndef llama_block(x): return rms_norm(x)",
    "module, relative": "from . import normalization\ndef llama_block(x): return normalization.rms_norm(x)",
    "module, absolute": "from student import normalization as n\ndef llama_block(x): return n.rms_norm(x)",
    "dotted": "import student.normalization\ndef llama_block(x): return student.normalization.rms_norm(x)",
    "dotted, renamed": "import student.normalization as n\ndef llama_block(x): return n.rms_norm(x)",
    "star": "from .normalization import *\ndef llama_block(x): return rms_norm(x)",
    "absolute star": "from student.normalization import *\ndef llama_block(x): return rms_norm(x)",
    "star of the package": "from student import *\ndef llama_block(x): return normalization.rms_norm(x)",
    "inside the function": "def llama_block(x):\n    from .normalization import rms_norm as r\n    return r(x)",
    "module inside the function": "def llama_block(x):\n    from . import normalization\n"
    "    return normalization.rms_norm(x)",
    "dotted inside the function": "def llama_block(x):\n    import student.normalization\n"
    "    return student.normalization.rms_norm(x)",
    "in a try": "try:\n    from .normalization import rms_norm\nexcept ImportError:\n    rms_norm = None\n"
    "def llama_block(x): return rms_norm(x)",
    "as a value": "from .normalization import rms_norm\ndef llama_block(x): return list(map(rms_norm, x))",
    "as a default": "from .normalization import rms_norm\ndef llama_block(x, norm=rms_norm): return norm(x)",
    "as a decorator": "from .normalization import rms_norm\n@rms_norm\ndef llama_block(x): return x",
    "through a helper": "from .normalization import rms_norm\ndef _n(x): return rms_norm(x)\n"
    "def llama_block(x): return _n(x)",
    "through two helpers": "from .normalization import rms_norm\ndef a(x): return b(x)\ndef b(x): return rms_norm(x)\n"
    "def llama_block(x): return a(x)",
    "through a class": "from .normalization import rms_norm\nclass N:\n    def __call__(self, x): return rms_norm(x)\n"
    "def llama_block(x): return N()(x)",
    "through a lambda": "from .normalization import rms_norm\nn = lambda x: rms_norm(x)\n"
    "def llama_block(x): return n(x)",
    "through an alias": "from .normalization import rms_norm\nn = rms_norm\ndef llama_block(x): return n(x)",
    "through a table": "from .normalization import rms_norm\nT = {'n': rms_norm}\ndef llama_block(x): return T['n'](x)",
    "through a conditional": "from .normalization import rms_norm\nif True:\n    def n(x): return rms_norm(x)\n"
    "else:\n    n = None\ndef llama_block(x): return n(x)",
    "through a partial": "from functools import partial\nfrom .normalization import rms_norm\n"
    "n = partial(rms_norm, eps=1)\ndef llama_block(x): return n(x)",
    "through a nested function": "from .normalization import rms_norm\ndef llama_block(x):\n"
    "    def n(x): return rms_norm(x)\n    return n(x)",
    "through a local alias of the module": "from . import normalization\ndef llama_block(x):\n    n = normalization\n"
    "    return n.rms_norm(x)",
    "through a list of modules": "from . import normalization\nM = [normalization]\n"
    "def llama_block(x): return M[0].rms_norm(x)",
    "through the package": "import student\ndef llama_block(x):\n    s = student\n"
    "    return s.normalization.rms_norm(x)",
    "by a constant name": "from . import normalization\n"
    "def llama_block(x): return getattr(normalization, 'rms_norm')(x)",
    "by attrgetter": "from operator import attrgetter\nfrom . import normalization\n"
    "def llama_block(x): return attrgetter('rms_norm')(normalization)(x)",
    "assigned as the exercise": "from .normalization import rms_norm\nllama_block = lambda x: rms_norm(x)",
    "imported as the exercise": "from .normalization import rms_norm as llama_block",
    "global": "from .normalization import rms_norm\nn = None\ndef setup():\n    global n\n    n = rms_norm\n"
    "def llama_block(x): return n(x)",
}


@pytest.mark.parametrize("text", REACHES_RMS_NORM.values(), ids=REACHES_RMS_NORM.keys())
def test_an_exercise_is_reached(text: str) -> None:
    assert direct(text) == {RMS}


REACHES_NOTHING = {
    "a parameter of that name": "def llama_block(x, rms_norm): return rms_norm(x)",
    "a local function of that name": "def llama_block(x):\n    def rms_norm(x): return x\n    return rms_norm(x)",
    "an unused import": "from .normalization import rms_norm\ndef llama_block(x): return x",
    "an unused local import": "def llama_block(x):\n    from . import normalization\n    return x",
    "a string": "def llama_block(x): return {'rms_norm': x}",
    "an attribute of something else": "from . import normalization\ndef llama_block(x): return x.rms_norm()",
    "a library's": "from torch.nn.functional import rms_norm\ndef llama_block(x): return rms_norm(x)",
    "another helper's": "from .normalization import rms_norm\ndef other(x): return rms_norm(x)\n"
    "def llama_block(x): return x",
    "a statement at module level": "from .normalization import rms_norm\nassert rms_norm(1)\n"
    "def llama_block(x): return x",
    "another name of that module": "from .normalization import EPS\ndef llama_block(x): return x + EPS",
    "itself": "def llama_block(x): return llama_block(x - 1)",
    "under the main guard": "from .normalization import rms_norm\ndef llama_block(x): return x\n"
    "if __name__ == '__main__':\n    llama_block = rms_norm",
    "a deeper relative import": "from ..normalization import rms_norm\ndef llama_block(x): return rms_norm(x)",
}


@pytest.mark.parametrize("text", REACHES_NOTHING.values(), ids=REACHES_NOTHING.keys())
def test_an_exercise_is_not_reached(text: str) -> None:
    assert direct(text) == set()


def test_an_exercise_that_is_reached_is_not_followed() -> None:
    text = "from .normalization import layer_norm\ndef llama_block(x): return layer_norm(x)"
    assert direct(text) == {LAYER}
    source = parse_submission({**BELOW, "block": text})
    assert source.all_dependencies(*TARGET, EXERCISES) == {LAYER, RMS}


def test_a_name_passed_on_by_another_lesson_is_that_of_the_first() -> None:
    text = "from .normalization import softmax\ndef llama_block(x): return softmax(x)"
    assert direct(text) == {SOFTMAX}
    assert direct(text.replace("softmax\n", "*\n")) == {SOFTMAX}


def test_helpers_of_other_lessons_are_followed() -> None:
    below = {
        "objective": "def softmax(x): return x\ndef _shift(x): return softmax(x)\n",
        "normalization": "from .objective import _shift\ndef _center(x): return _shift(x)\ndef rms_norm(x): return x\n",
    }
    text = "from .normalization import _center\ndef llama_block(x): return _center(x)"
    assert direct(text, below) == {SOFTMAX}


def test_a_module_that_makes_its_names_on_demand_is_followed() -> None:
    below = {**BELOW, "heads": "from .objective import softmax\ndef __getattr__(name): return softmax\n"}
    assert direct("from .heads import anything\ndef llama_block(x): return anything(x)", below) == {SOFTMAX}


def test_circles_end() -> None:
    sources = {
        "objective": "from .normalization import rms_norm\ndef softmax(x): return rms_norm(x)\n",
        "normalization": "from .objective import softmax\nfrom .block import *\ndef rms_norm(x): return softmax(x)\n",
        "block": "from .normalization import *\nfrom .objective import *\ndef llama_block(x): return no(softmax(x))",
    }
    source = parse_submission(sources)
    assert source.dependencies(*SOFTMAX, EXERCISES) == {RMS}
    assert source.all_dependencies(*SOFTMAX, EXERCISES) == {RMS}
    assert source.all_dependencies(*TARGET, EXERCISES) == {SOFTMAX, RMS}


def test_names_imported_in_a_circle_end() -> None:
    source = parse_submission({"a": "from .b import f", "b": "from .c import f", "c": "from .a import f"})
    assert source.dependencies("a", "f", [("z", "f")]) == frozenset()


def test_a_missing_lesson_is_still_a_dependency() -> None:
    assert direct("from .normalization import rms_norm\ndef llama_block(x): return rms_norm(x)", {}) == {RMS}
